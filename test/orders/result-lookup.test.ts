// Which records of the lists show that a request was executed whose response was lost, and which show nothing.
import * as endpoints from 'exchange-rx/endpoints';
import { of, throwError } from 'rxjs';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { isNamedBy } from '../../src/model/placed-as.js';
import type { Read } from '../../src/orders/order-lookup.js';
import { lookUpResult } from '../../src/orders/result-lookup.js';
import { useFakeTimers, within } from '../support/fake-timers.js';

useFakeTimers();

const market = 'BTC_USDT';
const sentAt = 1_790_000_000;
const old = {
  ...{ order_id: 7, client_order_id: 'mine', market, side: 'buy', type: 'limit', price: '50', amount: '1' },
  ...{ timestamp: sentAt - 3600, ftime: sentAt, status: 'CANCELED' },
};
const modified = { ...old, order_id: 8, timestamp: sentAt, price: '60', status: 'OPEN' };
const stop = { ...old, order_id: 6, type: 'stop limit', activation_price: '70' };
const longAgo = { ftime: sentAt - 60 };
/** Of every history of the market. */
const another = { ...old, order_id: 5, client_order_id: 'another', timestamp: sentAt };
const positions = Array.from({ length: 60 }, (_, positionId) => ({ positionId }));

interface Lists {
  /** The open orders, or the closed positions. Default: they cannot be read. */
  readonly open?: readonly object[];
  readonly history?: readonly (typeof old)[];
}

const { cancel, cancelConditional, cancelOco, modify } = endpoints.orders;
const calls = { cancel, cancelConditional, cancelOco, modify, closePosition: endpoints.collateral.closePosition };

/** What is emitted for a request by these fields, sent at 1790000000. */
function resultOf(call: keyof typeof calls, fields: object, { open, history = [] }: Lists) {
  const read = (({ name, request }: { readonly name: string; readonly request: v.GenericSchema }, params: object) => {
    const { limit = 50, ...key } = v.parse(request, params) as { readonly limit?: number };
    if (name === 'orders.history') return of({ [market]: [another, ...history].filter((one) => isNamedBy(key, one)) });
    return open === undefined ? throwError(() => new Error('not read')) : of(open.slice(0, limit));
  }) as Read;
  const { resultLookup = { finds: 'nothing', after: [] } } = calls[call];
  return within(
    20_000,
    lookUpResult<unknown>(resultLookup, read, { market, ...fields }, () => sentAt * 1000),
  );
}

const byIdentifier = { client_order_id: 'mine' };
const change = { order_id: 7, price: '60' };
const found = (order_id: number) => ({ is: 'found', output: { order_id } });

it.each<[string, Parameters<typeof resultOf>, readonly object[]]>([
  ['a cancel: an order of the identifier ended since', ['cancel', byIdentifier, { history: [old] }], [found(7)]],
  ['no cancel: it ended before', ['cancel', byIdentifier, { history: [{ ...old, ...longAgo }] }], []],
  [
    'a cancel: the newest of them ended since',
    ['cancel', byIdentifier, { history: [old, { ...old, order_id: 8, timestamp: sentAt - 60 }, stop] }],
    [found(8)],
  ],
  ['nothing, without a market', ['cancel', { ...byIdentifier, market: undefined }, { history: [old] }], []],
  ['nothing of a conditional order', ['cancelConditional', { id: 7 }, { history: [old] }], []],
  ['a close: one of a full page', ['closePosition', { positionId: 55 }, { open: positions }], [{ is: 'found' }]],
  ['no close: positions of other numbers', ['closePosition', { positionId: 60 }, { open: positions }], []],
  [
    'a cancel: the order of the number ended',
    ['cancel', { order_id: 7 }, { history: [{ ...old, ...longAgo }] }],
    [found(7)],
  ],
  [
    'a cancel of an OCO order: both of its orders ended since',
    ['cancelOco', byIdentifier, { history: [old, stop] }],
    [{ is: 'found', output: { take_profit: { order_id: 7 }, stop_loss: { order_id: 6 } } }],
  ],
  ['no cancel of an OCO order: one of its orders ended', ['cancelOco', byIdentifier, { history: [old] }], []],
  ['no cancel of an OCO order by its number', ['cancelOco', { order_id: 7 }, { history: [old, stop] }], []],
  [
    'no cancel of an OCO order: one of them ended before',
    ['cancelOco', byIdentifier, { history: [old, { ...stop, ...longAgo }] }],
    [],
  ],
  [
    'a modification: an open order has its values',
    ['modify', change, { history: [old], open: [modified] }],
    [found(8)],
  ],
  ['a modification, by the identifier', ['modify', { ...change, ...byIdentifier }, { open: [modified] }], [found(8)]],
  ['no modification, without an identifier', ['modify', change, { open: [modified] }], []],
  ['no modification, without a number', ['modify', { ...byIdentifier, price: '60' }, { open: [modified] }], []],
  ['a modification: an ended order has its values', ['modify', change, { history: [old, modified] }], [found(8)]],
  [
    'no modification: the old order was filled',
    ['modify', change, { history: [{ ...old, status: 'FILLED' }], open: [modified] }],
    [{ is: 'absent' }],
  ],
  ...[{ order_id: 7 }, { order_id: 6 }, { side: 'sell' }, { price: '61' }, { timestamp: sentAt - 1 }].map(
    (other): [string, Parameters<typeof resultOf>, readonly object[]] => [
      `no modification: an open order has ${JSON.stringify(other)}`,
      ['modify', change, { history: [old], open: [{ ...modified, ...other }] }],
      [],
    ],
  ),
])('the lists show %s', async (_, given, answers) => {
  const results = await resultOf(...given);
  expect(results).toMatchObject(answers);
  expect(results).toHaveLength(answers.length);
});
