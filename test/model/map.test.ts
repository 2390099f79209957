// Responses that are maps from names to values.
import { account, orders } from 'exchange-rx/endpoints';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

describe.each([account.mainBalance, orders.history])('a map, the response of $name,', ({ response }) => {
  it('is empty where the exchange responds with an empty list', () => {
    expect(v.parse(response, [])).toEqual({});
  });

  it.each([[[{ main_balance: '5' }]], [[[]]], [['BTC']], [5], ['BTC'], [null]])(
    'is not %j: indexes are no names',
    (body) => {
      expect(v.safeParse(response, body).success).toBe(false);
    },
  );
});
