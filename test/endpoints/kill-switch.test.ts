// The types of a kill switch: types that cannot be read never count as all types.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { activeKillSwitchSchema, killSwitchSchema } from '../../src/endpoints/orders/kill-switch.js';

describe.each([
  ['that was set', killSwitchSchema],
  ['of the list', activeKillSwitchSchema],
])('a kill switch %s', (_, schema) => {
  const read = (fields: object) => v.safeParse(schema, { market: 'A_B', ...fields });

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
