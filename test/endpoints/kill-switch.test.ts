// The types of a kill switch: types that cannot be read never count as all types.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { orders } from 'exchange-rx/endpoints';

describe.each([
  ['that was set', (fields: object) => v.parse(orders.setKillSwitch.response, fields)],
  ['of the list', (fields: object) => v.parse(orders.killSwitches.response, [fields])[0]],
])('a kill switch %s', (_, parse) => {
  const read = (fields: object) => parse({ market: 'A_B', ...fields });

  it.each([
    ['a list', ['spot', 'margin'], ['spot', 'margin']],
    ['a list with a null', ['spot', null], ['spot']],
    ['an object', { 1: 'futures' }, ['futures']],
    ['an empty list', [], []],
  ])('keeps the readable types of %s', (_shape, types, readable) => {
    expect(read({ types })).toMatchObject({ types: readable });
  });

  it.each(['spot', 5, [null], { 1: null }])('is unreadable with the types %j', (types) => {
    expect(() => read({ types })).toThrow(v.ValiError);
  });

  it.each([{}, { types: null }])('covers all types with %j', (fields) => {
    expect(read(fields)).toEqual({ market: 'A_B' });
  });
});
