// Responses out of step on a kept-alive connection: no order gets the response to another order, even without an
// identifier.
import { createExchange, isExchangeError, type Exchange, type OrderObservable, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { forwardToSandbox, bytesOf, serving, type Respond } from '../../support/raw-server.js';

const market = 'BTC_USDT';
const paths = ['/api/v4/order/stock_market', '/api/v4/order/market', '/api/v4/order/collateral/limit'];

type When = 'just before the next one' | 'together with it' | 'soon after it';
/** Changes the extra response, such as its client_order_id; `next` is the identifier of the next order. */
type Change = (text: string, next: string) => string;

interface Setup {
  readonly takesIdentifiers: boolean;
  readonly change?: Change;
}

/** A client of a sandbox behind a server that sends the response to the first order twice. */
async function setup(when: When, { takesIdentifiers, change = (text) => text }: Setup) {
  const sandbox = createSandbox({ volatility: 0, ...(takesIdentifiers ? {} : { ignoreClientOrderIds: paths }) });
  const executed = new Map<string, number>();
  let first: string | undefined;
  let duplicates = 0;
  const respond: Respond = async (socket, request) => {
    const { status, text } = await forwardToSandbox(sandbox, request);
    const own = bytesOf(text, { status: `${status} X` });
    const isPlacing = paths.includes(request.path) && status === 200;
    const sent = isPlacing ? (JSON.parse(request.body) as { clientOrderId: string }).clientOrderId : '';
    if (isPlacing) executed.set(sent, (JSON.parse(text) as { orderId: number }).orderId);
    if (!isPlacing || (first !== undefined && (when !== 'just before the next one' || duplicates > 0))) {
      socket.write(own);
    } else if (first === undefined) {
      first = text;
      socket.write(when === 'together with it' ? Buffer.concat([own, own]) : own);
      if (when === 'soon after it') setTimeout(() => socket.write(own), 5);
    } else {
      duplicates += 1;
      socket.write(Buffer.concat([bytesOf(change(first, sent)), own]));
    }
  };
  const { baseUrl } = await serving(respond);
  const { credentials } = sandbox.clientOptions();
  const options = { maxInFlight: 1, urgentInFlight: 1, timeoutMs: 500, retry: false, lookupTimeoutMs: 300 } as const;
  const exchange = createExchange({ ...options, baseUrl, credentials });
  return { sandbox, exchange, executed, duplicates: () => duplicates };
}

async function resultOf(order$: OrderObservable<Order>): Promise<number | string> {
  try {
    return (await firstValueFrom(order$)).order_id;
  } catch (error) {
    return isExchangeError(error) ? error.outcome : 'error of another package';
  }
}

type Place = (exchange: Exchange, amount: number) => OrderObservable<Order>;
const places: readonly (readonly [kind: string, place: Place])[] = [
  ['stock market', ({ spot }, amount) => spot.placeStockMarketOrder({ market, side: 'buy', amount })],
  ['market', ({ spot }, amount) => spot.placeMarketOrder({ market, side: 'buy', amount: amount * 10_000 })],
  [
    'collateral limit',
    ({ collateral }, amount) => collateral.placeLimitOrder({ market, side: 'buy', amount, price: '10000' }),
  ],
];

describe.each(places)('a duplicate response to the previous %s order', (_, place) => {
  const moments = ['just before the next one', 'together with it', 'soon after it'] as const;
  it.each(moments.flatMap((when) => [5, 0.01].map((amount) => ({ when, amount }))))(
    'is not used for another order when identifiers are dropped: of 0.01, $when of $amount',
    async ({ when, amount }) => {
      const { exchange, executed, duplicates } = await setup(when, { takesIdentifiers: false });
      const orders = [place(exchange, 0.01), place(exchange, amount), place(exchange, 0.02)];
      for (const [index, order$] of orders.entries()) {
        if (when === 'soon after it' && index === 1) await sleep(4);
        const result = await resultOf(order$);
        const own = executed.get(order$.client_order_id);
        expect(own === undefined ? ['not-executed', 'unknown'] : [own, 'unknown']).toContain(result);
        if (index === 0) expect(result).toBe(own);
      }
      // A connection that is out of step is closed. Then orders are placed again, and no outcome is of another order.
      const later: unknown[] = [];
      for (let more = 1; more <= 5 && typeof later.at(-1) !== 'number'; more += 1) {
        const order$ = place(exchange, more / 8);
        later.push(await resultOf(order$));
        expect([executed.get(order$.client_order_id), 'unknown']).toContain(later.at(-1));
      }
      expect(later.at(-1)).toBeTypeOf('number');
      if (when === 'just before the next one') expect(duplicates()).toBe(1);
    },
  );

  it('is not used for another order when identifiers are kept, not even with that order’s identifier', async () => {
    const changes: readonly Change[] = [
      (text) => text,
      (text, next) => text.replace(/"clientOrderId":"[^"]*"/, `"clientOrderId":"${next}"`),
    ];
    for (const change of changes) {
      const { exchange, executed, duplicates } = await setup('just before the next one', {
        takesIdentifiers: true,
        change,
      });
      for (const order$ of [place(exchange, 0.01), place(exchange, 5)])
        expect(await resultOf(order$)).toBe(executed.get(order$.client_order_id));
      expect(duplicates()).toBe(1);
    }
  });
});
