// The results of several cancels: each keeps its place, and says whether its order may have been canceled.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { orders } from 'exchange-rx/endpoints';

const read = (item: unknown) => v.parse(orders.cancelMany.response, [item])[0];

describe('the result of a cancel in a list', () => {
  it.each([
    ['both identifiers', { orderId: 1, clientOrderId: 'a', market: 'A_B' }, { order_id: 1, client_order_id: 'a' }],
    ['the names of the description', { order_id: 1, client_order_id: '', market: 'A_B' }, { client_order_id: '' }],
    ['an identifier as digits', { orderId: '1', market: 'A_B' }, { order_id: 1 }],
  ])('is canceled with %s', (_, result, named) => {
    expect(read({ result, error: null })).toMatchObject({ result: 'canceled', market: 'A_B', ...named });
  });

  it.each([[{ result: {} }], [{ result: {}, error: null }], [{ result: { market: 'BTC_USDT' } }]])(
    'is unknown where %j names no order',
    (item) => {
      expect(read(item)).toEqual({ result: 'failed', outcome: 'unknown' });
    },
  );

  it.each([[null], [[]], [{}]])('is canceled with an empty error, %j', (error) => {
    expect(read({ result: { orderId: 1 }, error })).toEqual({ result: 'canceled', order_id: 1 });
  });

  it('is not not-found because a key is disabled', () => {
    const error = { code: 2, message: 'This action is unauthorized. Enable your key in API settings' };
    expect(read({ error })).toMatchObject({ result: 'failed', outcome: 'unknown', code: 2 });
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

  it.each([
    ['a service that is away', { error: { code: 500, message: 'Try later' } }],
    ['an unknown code', { error: { code: 777 } }],
    ['no code', { error: {} }],
    ['an error that is a text', { error: 'no' }],
    ['a result beside an error', { result: { orderId: 1 }, error: { code: 500 } }],
    ['neither', {}],
    ['nothing', null],
    ['a text', 'canceled'],
    ['a list', []],
  ])('has failed with an unknown outcome for %s', (_, item) => {
    expect(read(item)).toMatchObject({ result: 'failed', outcome: 'unknown' });
  });

  it('keeps its place beside one that cannot be read', () => {
    const results = v.parse(orders.cancelMany.response, [null, { result: { orderId: 2 } }]);
    expect(results).toEqual([
      { result: 'failed', outcome: 'unknown' },
      { result: 'canceled', order_id: 2 },
    ]);
  });
});
