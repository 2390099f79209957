// What a caller reads who gave bad parameters: field, value, rule.
import { defineEndpoint, limitGroups, RequestError } from 'exchange-rx';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { checkRequest } from '../src/check-request.js';

const own = (request: Parameters<typeof defineEndpoint>[0]['request'], confidential = false) =>
  defineEndpoint({
    name: 'own',
    method: 'POST',
    path: '/own',
    group: limitGroups.public,
    authentication: 'form',
    safety: 'read',
    request,
    response: v.unknown(),
    confidential,
  });

function issuesOf(endpoint: ReturnType<typeof own>, params: unknown) {
  try {
    checkRequest(endpoint, params);
  } catch (error) {
    if (error instanceof RequestError) return error.issues;
    throw error;
  }
  return [];
}

const endpoint = own(v.strictObject({ market: v.string('must be a string such as "BTC_USDT"'), limit: v.exactOptional(v.number()), nested: v.exactOptional(v.strictObject({ a: v.number() })) }));
const messageOf = (market: unknown) => issuesOf(endpoint, { market })[0]?.message.replace(/ must be .*$/, '');

describe('a bad parameter', () => {
  it('is named with its value and the rule, in the schema’s words or, without any, what was expected', () => {
    expect(issuesOf(endpoint, { market: 7, limit: 'many' })).toEqual([
      { field: 'market', message: '7 must be a string such as "BTC_USDT"' },
      { field: 'limit', message: '"many" must be number' },
    ]);
  });

  it('that is missing, undefined or unknown is said to be so', () => {
    expect(issuesOf(endpoint, { limit: undefined, page: 2 })).toEqual([
      { field: 'market', message: 'is required' },
      { field: 'limit', message: 'must not be undefined' },
      { field: 'page', message: 'is not a parameter of this endpoint' },
    ]);
  });

  it('has a name with dots when it is nested', () => {
    expect(issuesOf(endpoint, { market: 'BTC_USDT', nested: { a: 'x' } })).toEqual([{ field: 'nested.a', message: '"x" must be number' }]);
  });

  it('of what are no parameters at all is all of them', () => {
    expect(issuesOf(endpoint, 'BTC_USDT')).toEqual([{ field: 'params', message: '"BTC_USDT" must be Object' }]);
  });

  it('that is nothing where something else is expected is not taken for one that is not known', () => {
    const never = own(v.object({ market: v.never() }));
    expect(issuesOf(never, { market: 'BTC_USDT' })).toEqual([{ field: 'market', message: '"BTC_USDT" must be never' }]);
  });

  it('without a rule that can be said is not valid', () => {
    const custom = own(v.object({ market: v.pipe(v.string(), v.check(() => false)) }));
    expect(issuesOf(custom, { market: 'BTC_USDT' })).toEqual([{ field: 'market', message: '"BTC_USDT" is not valid' }]);
  });

  it('is shown on one line, to a depth of one', () => {
    expect(messageOf({ a: { b: { c: 1 } } })).toBe('{ a: { b: [Object] } }');
    expect(messageOf([1, 2, 3, 4, 5, 6, 7])).toBe('[ 1, 2, 3, 4, 5, 6, 7 ]');
  });

  it('is shown up to forty characters', () => {
    const text = own(v.object({ market: v.pipe(v.string(), v.maxLength(3, 'is too long')) }));
    const shown = (length: number) => issuesOf(text, { market: 'x'.repeat(length) })[0]?.message;
    expect(shown(38)).toBe(`"${'x'.repeat(38)}" is too long`);
    expect(shown(39)).toBe(`"${'x'.repeat(39)}… is too long`);
    expect(messageOf({ of: 'z'.repeat(50) })).toBe(`{ of: '${'z'.repeat(33)}…`);
  });

  it('of a confidential endpoint is not shown, nor what it is compared with', () => {
    const secret = own(v.strictObject({ token: v.literal('the-secret'), count: v.number('must be how many') }), true);
    expect(issuesOf(secret, { token: 'a-guess', count: 'x' })).toEqual([
      { field: 'token', message: 'is not valid' },
      { field: 'count', message: 'must be how many' },
    ]);
  });
});
