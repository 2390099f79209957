// The results of several cancels: each keeps its place, and says whether its order may have been canceled.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { orders } from 'exchange-rx/endpoints';

const read = (item: unknown) => v.parse(orders.cancelMany.response, [item])[0];

describe('the result of a cancel in a list', () => {
  const disabled = { code: 2, message: 'This action is unauthorized. Enable your key in API settings' };

  it.each<[what: string, item: object, order: object]>([
    ['both identifiers', { result: { orderId: 1, clientOrderId: 'a' } }, { order_id: 1, client_order_id: 'a' }],
    ['the published names', { result: { order_id: 1, client_order_id: '' } }, { order_id: 1, client_order_id: '' }],
    ['an identifier as digits', { result: { orderId: '1', market: 'A_B' } }, { order_id: 1, market: 'A_B' }],
    ['an empty list of errors', { result: { orderId: 1 }, error: [] }, { order_id: 1 }],
    ['an empty error', { result: { orderId: 1 }, error: {} }, { order_id: 1 }],
  ])('is canceled with %s', (_, item, order) => {
    expect(read({ error: null, ...item })).toEqual({ result: 'canceled', ...order });
  });

  it.each([404, 2, '404'])('is not-found with the code %s', (code) => {
    const error = {
      code,
      message: 'Inner validation failed',
      errors: { orderId: ['Unexecuted order was not found.'] },
    };
    expect(read({ error, result: null })).toEqual({ result: 'not-found', ...error, code: Number(code) });
  });

  it.each([30, 31, 36])('has failed and was rejected with the code %s', (code) => {
    expect(read({ error: { code, message: 'Validation failed', errors: [] } })).toEqual({
      result: 'failed',
      outcome: 'rejected',
      code,
      message: 'Validation failed',
      errors: {},
    });
  });

  it.each<[what: string, item: unknown, failure?: object]>([
    ['a service that is away', { error: { code: 500, message: 'Try later' } }, { code: 500, message: 'Try later' }],
    ['a disabled key, which has the code of an unknown order', { error: disabled }, disabled],
    ['an unknown code', { error: { code: 777 } }, { code: 777 }],
    ['no code', { error: {} }],
    ['an error that is a text', { error: 'no' }],
    ['a result beside an error', { result: { orderId: 1 }, error: { code: 500 } }, { code: 500 }],
    ['a result that names no order', { result: {} }],
    ['one that names no order, without an error', { result: {}, error: null }],
    ['one that names a market only', { result: { market: 'BTC_USDT' } }],
    ['neither', {}],
    ['nothing', null],
    ['a text', 'canceled'],
    ['a list', []],
  ])('has failed with an unknown outcome for %s', (_, item, failure = {}) => {
    expect(read(item)).toEqual({ result: 'failed', outcome: 'unknown', ...failure });
  });

  it('keeps its place beside one that cannot be read', () => {
    const results = v.parse(orders.cancelMany.response, [null, { result: { orderId: 2 } }]);
    expect(results).toEqual([
      { result: 'failed', outcome: 'unknown' },
      { result: 'canceled', order_id: 2 },
    ]);
  });
});
