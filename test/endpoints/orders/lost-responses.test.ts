// Cancels and modifications whose first response was lost, on a hand-written exchange that reuses identifiers: no other
// order is reported as theirs.
import { createExchange, type Exchange } from 'exchange-rx';
import type { Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { useFakeTimers, within } from '../../support/fake-timers.js';
import { jsonAnswer, recordingFetch } from '../../support/recording-fetch.js';

useFakeTimers();

const market = 'BTC_USDT';
const paths = {
  cancel: '/api/v4/order/cancel',
  modify: '/api/v4/order/modify',
  open: '/api/v4/orders',
  history: '/api/v4/trade-account/order/history',
} as const;

type Fields = Readonly<Record<string, unknown>>;
interface Answers {
  readonly cancel?: (request: number) => Response;
  readonly modify?: (request: number) => Response;
  /** `undefined`: the response is no list. */
  readonly open?: () => readonly Fields[] | undefined;
  readonly history?: () => readonly Fields[];
}

function exchangeThat(answers: Answers): Exchange {
  let requests = 0;
  const { fetch } = recordingFetch(({ url, body }) => {
    const fields = JSON.parse(body === '' ? '{}' : body) as Fields;
    const isIt = (order: Fields) =>
      (fields['orderId'] === undefined || [order['orderId'], order['id']].includes(fields['orderId'])) &&
      (fields['clientOrderId'] === undefined || order['clientOrderId'] === fields['clientOrderId']);
    const { pathname } = new URL(url);
    if (pathname === paths.open)
      return jsonAnswer((answers.open === undefined ? [] : answers.open())?.filter(isIt) ?? {});
    if (pathname === paths.history) {
      const orders = (answers.history?.() ?? []).filter(isIt);
      const errors = { orderHistory: ['OrderHistory was not found.'] };
      return orders.length === 0 && fields['clientOrderId'] !== undefined
        ? jsonAnswer({ code: 30, message: 'Validation failed', errors }, 422)
        : jsonAnswer(orders.length === 0 ? [] : { [market]: orders });
    }
    requests += 1;
    const answer = pathname === paths.modify ? answers.modify : answers.cancel;
    return answer?.(requests) ?? notFound();
  });
  const credentials = { apiKey: 'key', apiSecret: 'secret' };
  return createExchange({ baseUrl: 'https://exchange.example', credentials, fetch });
}

const lost = () => jsonAnswer('', 503);
const notFound = (errors: unknown = { orderId: ['Unexecuted order was not found.'] }) =>
  jsonAnswer({ code: 2, message: 'Inner validation failed', errors }, 422);
const seconds = () => Date.now() / 1000;
const ended = (id: number, more: Fields) => ({
  ...{ id, clientOrderId: 'mine', market, side: 'buy', amount: '0.01', price: '10000', dealStock: '0' },
  ...{ ctime: seconds(), ftime: seconds(), status: 'CANCELED' },
  ...more,
});
const active = (orderId: number, more: Fields) => ({
  ...{ orderId, clientOrderId: 'mine', market, side: 'buy', amount: '0.01', price: '10100', left: '0.01' },
  ...{ timestamp: seconds() + 0.1, status: 'OPEN', type: 'limit' },
  ...more,
});

it('a cancel by client_order_id has the outcome unknown with a history of an order without times', async () => {
  const exchange = exchangeThat({
    cancel: (request) => (request === 1 ? lost() : notFound()),
    history: () => [ended(2, { ctime: null, ftime: null }), ended(1, { ftime: seconds() - 300_000 })],
  });
  const results = await within(30_000, exchange.orders.cancel({ market, client_order_id: 'mine' }));
  expect(results).toMatchObject([{ kind: 'api', reason: 'order-not-found', outcome: 'unknown' }]);
});

it.each([
  ['without errors', null],
  ['with an empty list of errors', []],
  ['about clientOrderId', { clientOrderId: ['Unexecuted order was not found.'] }],
])('a rejection as not found, %s, after a lost response is settled by the history', async (_, errors) => {
  const exchange = exchangeThat({
    cancel: (request) => (request === 1 ? lost() : notFound(errors)),
    history: () => [ended(2, {})],
  });
  const results = await within(30_000, exchange.orders.cancel({ market, order_id: 2 }));
  expect(results).toMatchObject([{ order_id: 2, status: 'CANCELED' }]);
});

it.each<[what: string, field: string, call: (exchange: Exchange) => Observable<unknown>]>([
  ['a conditional order', 'id', ({ orders }) => orders.cancelConditional({ market, id: 1 })],
  ['an OTO order', 'otoId', ({ orders }) => orders.cancelOto({ market, otoId: 1 })],
  ['an OCO order by its number', 'orderId', ({ orders }) => orders.cancelOco({ market, order_id: 1 })],
  ['an order that no history shows', 'orderId', ({ orders }) => orders.cancel({ market, order_id: 1 })],
  [
    'a position that no list shows',
    'positionId',
    ({ collateral }) => collateral.closePosition({ market, positionId: 1 }),
  ],
])(
  'a rejection as not found, after the nonce of a copy was rejected, leaves the end of %s unknown',
  async (_, field, call) => {
    const [code, reason] = field === 'positionId' ? [104, 'position-not-found'] : [2, 'order-not-found'];
    const end = (request: number) =>
      request === 1
        ? jsonAnswer({ code: 0, message: 'Too many requests.', errors: [] }, 429)
        : jsonAnswer({ code, message: 'Validation failed', errors: { [field]: ['Not found.'] } }, 422);
    const results = await within(30_000, call(exchangeThat({ cancel: end })));
    expect(results).toMatchObject([{ kind: 'api', reason, outcome: 'unknown' }]);
  },
);

describe('a modification whose response was lost', () => {
  const modifyOnce = (request: number) => (request === 1 ? lost() : notFound());
  const modified = (exchange: Exchange) =>
    within(60_000, exchange.orders.modify({ market, order_id: 10, client_order_id: 'mine', price: '10100' }));

  it.each([
    ['was late', () => []],
    ['was lost', () => undefined],
  ])('is the open order, although the first list of open orders %s', async (_, first) => {
    const seconds = Date.now() / 1000;
    let lists = 0;
    const open = () => {
      lists += 1;
      return lists === 1 ? first() : [active(12, { timestamp: seconds + 0.1 })];
    };
    const results = await modified(exchangeThat({ modify: modifyOnce, open, history: () => [ended(10, {})] }));
    expect(results).toMatchObject([{ order_id: 12, price: '10100' }]);
  });

  it('is not an open order without a time', async () => {
    const open = () => [active(12, { timestamp: null })];
    const results = await modified(exchangeThat({ modify: modifyOnce, open, history: () => [ended(10, {})] }));
    expect(results).toMatchObject([{ kind: 'api', reason: 'order-not-found', outcome: 'unknown' }]);
  });
});

const at = 1_790_000_000;
const legs = [
  ended(8, { type: 'margin limit', ctime: at }),
  ended(7, { type: 'margin stop limit', ctime: at, status: 'FILLED', dealStock: '0.01' }),
];

it.each([
  ['the canceled order first', legs],
  ['the filled order first', [...legs].reverse()],
])('finding an OCO order that has ended emits the order that was filled, with a history of %s', async (_, history) => {
  for (const key of [{ endpoint: 'collateral.placeOcoOrder' }, {}]) {
    const exchange = exchangeThat({ history: () => history });
    const results = await within(60_000, exchange.orders.find({ market, client_order_id: 'mine', ...key }));
    expect(results).toMatchObject([{ order_id: 7, status: 'FILLED' }]);
  }
});
