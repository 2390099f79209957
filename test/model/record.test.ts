// A record is read in one pass, and gives what the schemas of its fields give.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
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
});
