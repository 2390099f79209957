// Promise 3, by fuzzing: every response gives the output that its endpoint promises, or a typed error.
import fc from 'fast-check';
import { isExchangeError } from 'exchange-rx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readResponse } from '../../../src/http/read-response.js';
import { Redactor, secretsOf } from '../../../src/http/redactor.js';
import { allEndpoints } from '../../support/endpoints.js';
import { recordedOf } from '../../support/recorded.js';
import { mutated, mutation, rounded } from './mutations.js';

/** FUZZ_SHARE=1 runs all cases, which takes minutes of one core. */
const share = Number(process.env['FUZZ_SHARE'] ?? 0.2);
// A text that is not JSON is rejected before an endpoint's schema reads it: it is the same for all.
const runsPerEndpoint = { mutated: 30_000 * share, json: 4000 * share, text: 1000 * share };
const errorRuns = 20_000 * share;
/** fast-check prints the seed of a failure; set it to reproduce the failure. */
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** Each endpoint with its recorded response, and the request that it belongs to. */
const cases = allEndpoints.map((endpoint) => {
  const { params: fields, response } = recordedOf(endpoint);
  const body = JSON.stringify(fields);
  const headers = { 'X-TXC-PAYLOAD': Buffer.from(body).toString('base64'), 'X-TXC-SIGNATURE': '0f'.repeat(64) };
  const request = { method: 'POST', url: 'https://exchange.example', headers, body } as const;
  return { endpoint, fields, redactor: new Redactor(secretsOf(endpoint, fields, request)), response };
});

// A JSON number has up to 309 digits.
const decimal = /^-?\d{1,309}(\.\d{1,100})?([eE][+-]?\d{1,2})?$/;
/** Decimal strings that a schema accepts as any text, because a price may be empty. */
const anyString: ReadonlySet<string> = new Set([
  // Identifiers, which may be of digits.
  ...['id', 'memo', 'refundId'],
  ...['price', 'activation_price', 'stopLoss', 'takeProfit', 'stopLossPrice', 'takeProfitPrice', 'fundingTime'],
  ...['rateCalculatedTime', 'next_funding_rate_timestamp', 'feePrec', 'makerFee', 'takerFee'],
]);
const identifiers: ReadonlySet<string> = new Set(['order_id', 'otoId']);
/** Fields of orders that the model does not have: they are kept as they are. */
const unknownOfOrders: ReadonlySet<string> = new Set(['takerFee', 'makerFee']);
const assetOrMarket = /^[A-Z0-9]+(_[A-Z0-9]+)?$/;

/**
 * The promised types of money and identifiers in an output, derived from a valid one, so a new endpoint is included.
 */
type Promised =
  | { readonly leaf: 'decimal' | 'string' | 'identifier' | 'anything' }
  | { readonly each: Promised }
  | { readonly fields: ReadonlyMap<string, Promised> };

function promisedBy(value: unknown, key = ''): Promised {
  if (identifiers.has(key)) return { leaf: 'identifier' };
  if (typeof value === 'string' && decimal.test(value)) return { leaf: anyString.has(key) ? 'string' : 'decimal' };
  if (typeof value !== 'object' || value === null) return { leaf: 'anything' };
  const entries = Object.entries(value);
  const [first] = entries;
  if (first === undefined) return { leaf: 'anything' };
  if (Array.isArray(value) || entries.every(([name]) => assetOrMarket.test(name)))
    return { each: promisedBy(first[1]) };
  const known = entries.filter(([name]) => !('order_id' in value && unknownOfOrders.has(name)));
  return { fields: new Map(known.map(([name, inner]) => [name, promisedBy(inner, name)])) };
}

/** Where an output breaks its promise; `undefined` where it does not. */
function broken(promised: Promised, value: unknown, place = 'output'): string | undefined {
  if ('leaf' in promised) {
    const isKept = {
      decimal: () => typeof value === 'string' && decimal.test(value),
      string: () => typeof value === 'string',
      identifier: () => Number.isSafeInteger(value),
      anything: () => true,
    }[promised.leaf]();
    return isKept ? undefined : `${place} is ${String(value)}, not ${promised.leaf}`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const next = 'each' in promised ? promised.each : promised.fields.get(key);
    const wrong = next === undefined || inner === undefined ? undefined : broken(next, inner, `${place}.${key}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The first harmful part of a value; `undefined` when there is none. */
function harmful(value: unknown, depth = 0): string | undefined {
  if (depth > 64) return 'it is too deep';
  if (typeof value === 'number')
    return !Number.isFinite(value) || rounded.has(value) ? `${value} was rounded` : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype) return 'it has another prototype';
  for (const [key, inner] of Object.entries(value)) {
    const found = ['__proto__', 'constructor', 'prototype'].includes(key)
      ? `it has the key ${key}`
      : harmful(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const kept = Error.stackTraceLimit;
beforeAll(() => {
  // Stacks are most of the cost of an error, and there are hundreds of thousands.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = kept;
});

/** The output of a response, or its typed error, which must be printable. */
function read(
  { endpoint, fields, redactor }: (typeof cases)[number],
  status: number,
  body: string,
): { readonly output: unknown } | { readonly kind: string } {
  try {
    return { output: readResponse({ endpoint, fields, redactor }, { status, headers: {}, body }) };
  } catch (error) {
    if (!isExchangeError(error)) throw error;
    if (error.message.length > 3000)
      throw new Error(`a message of ${error.message.length} characters`, { cause: error });
    JSON.stringify(error);
    return { kind: error.kind };
  }
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...Array.from('[]{}:,"\\0123456789.eE+-truefalsn \u0000\ufeff')), maxLength: 60 }),
);

describe.each(cases)('$endpoint.name', (one) => {
  const { endpoint, response } = one;
  const whole = read(one, 200, JSON.stringify(response));
  if (!('output' in whole)) throw new Error(`the recorded response of ${endpoint.name} is not valid`);
  // The response of a kill switch is not documented, so nothing of it is promised.
  const promised: Promised = endpoint.name === 'orders.setKillSwitch' ? { leaf: 'anything' } : promisedBy(whole.output);
  let passed = 0;
  const isAsPromised = (body: string) => {
    const result = read(one, 200, body);
    if (!('output' in result)) return;
    passed += 1;
    const wrong = harmful(result.output) ?? broken(promised, result.output);
    if (wrong !== undefined) throw new Error(`${wrong}, in ${body}`);
  };

  it('gives its promised output or a typed error for mutated responses', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 2 }), (mutations) => {
        isAsPromised(mutated(response, mutations));
      }),
      { numRuns: runsPerEndpoint.mutated, seed },
    );
    // Some mutations must leave the response valid, or the test would prove little.
    expect(passed).toBeGreaterThan(runsPerEndpoint.mutated / 500);
  });

  it('gives its promised output or a typed error for any JSON and any text', { timeout: 120_000 }, () => {
    fc.assert(fc.property(fc.json({ maxDepth: 3 }), isAsPromised), { numRuns: runsPerEndpoint.json, seed });
    fc.assert(fc.property(anyText, isAsPromised), { numRuns: runsPerEndpoint.text, seed });
  });
});

describe('error responses', () => {
  const bodies: readonly unknown[] = [
    { code: 30, message: 'Validation failed', errors: { amount: ['Too small.'], market: ['Unknown.'] } },
    { success: false, message: { side: ['Bad.'] }, params: [], result: null },
    { code: 0, message: 'Too many requests.', errors: [] },
    { error: ['Server error'] },
    { status: 422, notification: null, errors: { orderId: ['Not found'] }, warning: 'x', _token: null },
  ];
  const statuses = [199, 302, 304, 400, 401, 403, 404, 408, 412, 422, 429, 451, 500, 502, 503, 504, 599, 999];

  it('are typed errors with an outcome that their status allows', { timeout: 120_000 }, () => {
    const text = fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .tuple(fc.constantFrom(...bodies), fc.array(mutation, { maxLength: 3 }))
          .map(([body, mutations]) => mutated(body, mutations)),
      },
      { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
      { weight: 1, arbitrary: anyText },
    );
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.constantFrom(...statuses), text, (one, status, body) => {
        const result = read(one, status, body);
        if (!('kind' in result) || !['api', 'auth', 'rate-limited', 'unavailable'].includes(result.kind))
          throw new Error(`HTTP ${status} is ${JSON.stringify(result)}`);
      }),
      { numRuns: errorRuns, seed },
    );
  });

  it('Object.prototype is unchanged', () => {
    expect(Object.keys(Object.getPrototypeOf({}) as object)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });
});
