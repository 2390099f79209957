// The short way to read a record must never show: it gives what the whole schema gives, or leaves the record to it.
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { plainReader } from '../../src/model/plain-record.js';
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

/** Copies of the schemas: none has a check for plain values. */
const slowEntries = Object.fromEntries(Object.entries(entries).map(([name, schema]) => [name, { ...schema }]));

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

describe('a record whose fields have their documented types', () => {
  it('is read without its schema, under the names of the spec', () => {
    expect(plainReader(entries, names)(plainOrder)).toEqual({
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
    ['a required field is missing', { ...plainOrder, market: null }],
    ['a field with a default is missing', { ...plainOrder, clientOrderId: null }],
    ['a field has both names', { ...plainOrder, order_id: 7 }],
    ['a number stands for a string', { ...plainOrder, left: 0 }],
    ['a string is not a decimal', { ...plainOrder, left: 'nothing' }],
    ['a field has a schema that accepts less', { ...plainOrder, leverage: 1 }],
    ['a field has a schema that converts', { ...plainOrder, oto: { otoId: 1 } }],
    ['a second name has no schema', { ...plainOrder, withoutSchema: 1 }],
    ['a name is inherited by every object', { ...plainOrder, toString: 'x' }],
    ['it is a list', [plainOrder]],
    ['it is null', null],
  ])('is left to its schema when %s', (_why, value) => {
    expect(plainReader(entries, names)(value)).toBeUndefined();
  });

  it('has the output that its schema gives, whatever its fields are', () => {
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
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 1 }), decimals, fc.constant(undefined));
    const odd = fc.dictionary(
      fc.constantFrom(...Object.keys(entries), ...Object.values(names), 'without_schema', 'added', 'toString'),
      anything,
      { maxKeys: 3 },
    );
    const both = fc.tuple(fc.record(plainValues, { requiredKeys: [] }), odd);
    fc.assert(
      fc.property(both, ([plain, others]) => {
        const value = { ...plain, ...others };
        const read = v.safeParse(record(entries, names), value);
        const readSlowly = v.safeParse(record(slowEntries, names), value);
        expect(read.success).toBe(readSlowly.success);
        if (read.success) expect(read.output).toEqual(readSlowly.output);
      }),
      { numRuns: 2000 },
    );
  });
});
