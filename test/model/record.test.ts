// A record is read in one pass, and gives what the schemas of its fields give.
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../src/model/map.js';
import {
  decimalText,
  integer,
  number,
  oneOf,
  optional,
  optionalDecimal,
  optionalEnum,
  optionalFlag,
  optionalNumber,
  optionalText,
  record,
  string,
  textOrEmpty,
} from '../../src/model/tolerant.js';
import { describeIssue } from '../../src/model/unreadable.js';
import { withSpecNames } from '../../src/model/wire-names.js';

const entries = {
  order_id: integer,
  market: string,
  client_order_id: textOrEmpty,
  amount: decimalText,
  side: oneOf(['buy', 'sell']),
  time: number,
  price: optionalText,
  left: optionalDecimal,
  mtime: optionalNumber,
  postOnly: optionalFlag,
  type: optionalEnum(['limit']),
  leverage: v.optional(v.pipe(integer, v.maxValue(100))),
  oto: optional(record({ otoId: integer })),
};
const names = { order_id: 'orderId', client_order_id: 'clientOrderId', left: 'rest', without_schema: 'withoutSchema' };

/** What a record is, by the schemas of valibot alone. */
const reference = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>((value) => isRecord(value)),
  v.transform((value) => withSpecNames(value, names, new Set(Object.keys(entries)))),
  v.looseObject(entries),
  v.transform((output) => Object.fromEntries(Object.entries(output).filter(([, value]) => value !== undefined))),
);

const plainOrder = {
  orderId: 7,
  clientOrderId: 'a',
  market: 'BTC_USDT',
  amount: '0.1',
  side: 'buy',
  time: 1.5,
  left: '0',
  price: null,
  added: { by: 'the exchange' },
};

describe('a record', () => {
  it('is read under the names of the spec', () => {
    expect(v.parse(record(entries, names), plainOrder)).toEqual({
      order_id: 7,
      client_order_id: 'a',
      market: 'BTC_USDT',
      amount: '0.1',
      side: 'buy',
      time: 1.5,
      left: '0',
      added: { by: 'the exchange' },
    });
  });

  it.each([
    ['a field with a default is missing', { clientOrderId: null }, { client_order_id: '' }],
    ['a field has both names', { order_id: 8 }, { order_id: 8 }],
    ['a field has a null under the name of the spec', { order_id: null }, { order_id: 7 }],
    ['a number stands for a string', { left: 0 }, { left: '0' }],
    ['a field has a schema of its own', { leverage: 1 }, { leverage: 1 }],
    ['a field is a record', { oto: { otoId: '1' } }, { oto: { otoId: 1 } }],
    ['a second name has no schema', { withoutSchema: 1 }, { without_schema: 1 }],
  ])('is read when %s', (_why, fields, expected) => {
    expect(v.parse(record(entries, names), { ...plainOrder, ...fields })).toMatchObject(expected);
  });

  it('is read without an optional field that is not as documented', () => {
    expect(v.parse(record(entries, names), { ...plainOrder, left: 'nothing' })).not.toHaveProperty('left');
  });

  it('keeps its prototype, and fields that are named as inherited ones', () => {
    const sent: unknown = JSON.parse('{"order_id":1,"toString":"x","__proto__":{"a":1}}');
    const read = v.parse(record({ order_id: integer }), sent);
    expect(Object.entries(read)).toEqual([
      ['order_id', 1],
      ['toString', 'x'],
    ]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each([
    ['a required field is missing', { ...plainOrder, market: null }, 'market is missing'],
    ['a required field is of another kind', { ...plainOrder, amount: [] }, 'amount is not a decimal string'],
    ['it is a list', [plainOrder], 'the body is not an object'],
    ['it is null', null, 'the body is not an object'],
  ])('is invalid when %s', (_why, value, message) => {
    const { issues } = v.safeParse(record(entries, names), value);
    expect(issues?.map(describeIssue)).toEqual([message]);
  });

  it('has the output of the schemas of its fields', () => {
    const decimals = fc.oneof(fc.double().map(String), fc.constantFrom('0', '-1.50', '1e5', '', '.5', '1e999'));
    const plainValues: Record<string, fc.Arbitrary<unknown>> = {
      orderId: fc.integer(),
      clientOrderId: fc.string(),
      market: fc.string(),
      amount: decimals,
      side: fc.constantFrom('buy', 'sell', 'other'),
      time: fc.double(),
      price: fc.string(),
      rest: decimals,
      mtime: fc.double(),
      postOnly: fc.boolean(),
      type: fc.string(),
      leverage: fc.integer({ min: 90, max: 110 }),
    };
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 1 }), decimals);
    const odd = fc.dictionary(
      fc.constantFrom(...Object.keys(entries), ...Object.values(names), 'without_schema', 'added'),
      anything,
      { maxKeys: 3 },
    );
    const both = fc.tuple(fc.record(plainValues, { requiredKeys: [] }), odd);
    fc.assert(
      fc.property(both, ([plain, others]) => {
        const value = { ...plain, ...others };
        const read = v.safeParse(record(entries, names), value);
        const expected = v.safeParse(reference, value);
        expect(read.success).toBe(expected.success);
        if (read.success) expect(read.output).toEqual(expected.output);
      }),
      { numRuns: 2000 },
    );
  });
});
