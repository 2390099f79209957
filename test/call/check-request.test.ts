// What a caller reads who gave bad parameters: field, value, rule.
import { defineEndpoint, RequestError, type Endpoint } from 'exchange-rx';
import { inspect } from 'node:util';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../src/call/check-request.js';

const own = (request: Endpoint['request'], confidential = false) =>
  defineEndpoint({ name: 'own', path: '/own', safety: 'read', request, response: v.unknown(), confidential });

function issuesOf(endpoint: ReturnType<typeof own>, params: unknown) {
  try {
    checkRequest(endpoint, params);
  } catch (error) {
    if (error instanceof RequestError) return error.issues;
    throw error;
  }
  return [];
}

const endpoint = own(
  v.strictObject({
    market: v.string('must be a string such as "BTC_USDT"'),
    limit: v.exactOptional(v.number()),
    nested: v.exactOptional(v.strictObject({ a: v.number() })),
  }),
);
/** What can be seen of what was thrown, its cause too. */
function printedError(work: () => unknown): string {
  try {
    work();
    return 'nothing was thrown';
  } catch (error) {
    return inspect(error, { showHidden: true, depth: null });
  }
}

const messageOf = (market: unknown) => issuesOf(endpoint, { market })[0]?.message.replace(/ must be .*$/, '');

describe('the parameters of a request', () => {
  class Wish {
    readonly limit = 5;
    readonly #market = 'BTC_USDT';

    get market(): string {
      return this.#market;
    }
  }

  it.each([new Wish(), Object.create({ market: 'BTC_USDT', limit: 5 }) as object])(
    'may be accessors and inherited: %o',
    (params) => {
      expect(checkRequest(endpoint, params)).toMatchObject({ market: 'BTC_USDT', limit: 5 });
    },
  );
});

describe('a bad parameter', () => {
  it('is named with its value and the rule of the schema, or else the expected type', () => {
    expect(issuesOf(endpoint, { market: 7, limit: 'many' })).toEqual([
      { field: 'market', message: '7 must be a string such as "BTC_USDT"' },
      { field: 'limit', message: '"many" must be number' },
    ]);
  });

  it('that is missing or unknown is reported as that', () => {
    expect(issuesOf(endpoint, { page: 2 })).toEqual([
      { field: 'market', message: 'is required' },
      { field: 'page', message: 'is not a parameter of own' },
    ]);
    expect(issuesOf(endpoint, { market: undefined })).toEqual([{ field: 'market', message: 'is required' }]);
  });

  it('that is undefined counts as left out, and is not sent', () => {
    const fields = checkRequest(endpoint, { market: 'BTC_USDT', limit: undefined, nested: undefined, page: undefined });
    expect(Object.keys(fields)).toEqual(['market']);
  });

  it('that a transform or a check of the schema fails at is a bad parameter', () => {
    const fails = () => {
      throw new Error('PLANTED');
    };
    const schemas = [v.pipe(v.object({}), v.transform(fails)), v.pipe(v.object({}), v.check(fails)), v.lazy(fails)];
    for (const schema of schemas) {
      expect(issuesOf(own(schema), {})).toEqual([
        { field: 'params', message: 'could not be checked: the schema of the endpoint failed' },
      ]);
      expect(printedError(() => checkRequest(own(schema), {}))).toContain('PLANTED');
      expect(printedError(() => checkRequest(own(schema, true), {}))).not.toContain('PLANTED');
    }
  });

  it('has a name with dots when it is nested', () => {
    expect(issuesOf(endpoint, { market: 'BTC_USDT', nested: { a: 'x' } })).toEqual([
      { field: 'nested.a', message: '"x" must be number' },
    ]);
  });

  it('is the whole value when the parameters are not an object', () => {
    const message = '"BTC_USDT" must be an object with the parameters by name, such as { market: … }';
    expect(issuesOf(endpoint, 'BTC_USDT')).toEqual([{ field: 'params', message }]);
  });

  it('is invalid without a rule in words', () => {
    const failing = v.pipe(
      v.string(),
      v.check(() => false),
    );
    expect(issuesOf(own(v.object({ market: failing })), { market: 'BTC_USDT' })).toEqual([
      { field: 'market', message: '"BTC_USDT" is invalid' },
    ]);
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

  it('of a confidential endpoint is hidden, with the value that it is compared with', () => {
    const secret = own(v.strictObject({ token: v.literal('the-secret'), count: v.number('must be how many') }), true);
    expect(issuesOf(secret, { token: 'a-guess', count: 'x' })).toEqual([
      { field: 'token', message: 'is invalid' },
      { field: 'count', message: 'must be how many' },
    ]);
  });
});
