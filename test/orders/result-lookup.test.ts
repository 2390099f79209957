// Which records of the lists show that a request was executed whose response was lost, and which show nothing.
import * as endpoints from 'exchange-rx/endpoints';
import { of, throwError } from 'rxjs';
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
  ...{ timestamp: sentAt - 3600, ftime: sentAt + 1, status: 'CANCELED' },
};
const modified = { ...old, order_id: 8, timestamp: sentAt + 1, price: '60', status: 'OPEN' };
const stop = { ...old, order_id: 6, type: 'stop limit', activation_price: '70' };
const longAgo = { ftime: sentAt - 60 };

interface Lists {
  /** Default: it cannot be read. */
  readonly open?: readonly object[];
  readonly history: readonly (typeof old)[];
}

/** What is emitted for a request by these fields, sent at 1790000000. */
function resultOf(call: 'cancel' | 'cancelOco' | 'modify', fields: object, { open, history }: Lists) {
  const read = (({ name }: { readonly name: string }, key: object) => {
    if (name === 'orders.history') return of({ [market]: history.filter((one) => isNamedBy({ ...key }, one)) });
    return open === undefined ? throwError(() => new Error('not read')) : of(open);
  }) as Read;
  const { resultLookup = { finds: 'nothing', after: [] } } = endpoints.orders[call];
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
  ['a modification: an ended order has its values', ['modify', change, { history: [old, modified] }], [found(8)]],
  [
    'no modification: the old order was filled',
    ['modify', change, { history: [{ ...old, status: 'FILLED' }], open: [modified] }],
    [{ is: 'absent' }],
  ],
  ...[{ order_id: 6 }, { side: 'sell' }, { price: '61' }, { timestamp: sentAt - 1 }].map(
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
