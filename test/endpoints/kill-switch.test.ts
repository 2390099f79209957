// The types of a kill switch: types that cannot be read never count as all types.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { orders } from 'exchange-rx/endpoints';

describe.each([
  ['that was set', (fields: object) => v.safeParse(orders.setKillSwitch.response, fields)],
  [
    'of the list',
    (fields: object) =>
      v.safeParse(
        v.pipe(
          orders.killSwitches.response,
          v.transform(([one]) => one),
        ),
        [fields],
      ),
  ],
])('a kill switch %s', (_, parse) => {
  const read = (fields: object) => parse({ market: 'A_B', ...fields });

  it.each([
    ['a list', ['spot', 'margin'], ['spot', 'margin']],
    ['a list with a null', ['spot', null], ['spot']],
    ['an object', { 1: 'futures' }, ['futures']],
    ['an empty list', [], []],
  ])('keeps the readable types of %s', (_shape, types, readable) => {
    expect(read({ types })).toMatchObject({ success: true, output: { types: readable } });
  });

  it.each(['spot', 5, [null], { 1: null }])('is unreadable with the types %j', (types) => {
    expect(read({ types }).success).toBe(false);
  });

  it.each([{}, { types: null }])('covers all types with %j', (fields) => {
    const { success, output } = read(fields);
    expect([success, output]).toEqual([true, { market: 'A_B' }]);
  });
});
