import * as endpoints from 'exchange-rx/endpoints';

// A request that cannot be made is refused with a typed error before anything is sent: its parameters, and the clock
// that its nonce is made by.
import { createExchange, createScheduler, defineEndpoint, rateLimits, type Endpoint } from 'exchange-rx';
import { inspect } from 'node:util';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

const own = (authentication: Endpoint['authentication'], confidential = false) =>
  defineEndpoint({
    name: 'own',
    method: authentication === 'none' ? 'GET' : 'POST',
    path: '/own',
    rateLimit: rateLimits.public,
    authentication,
    safety: 'read',
    request: v.strictObject({ a: v.unknown(), b: v.exactOptional(v.string()) }),
    response: v.unknown(),
    confidential,
  });

const fails = {
  toString() {
    throw new Error('PLANTED');
  },
};

describe('a parameter that cannot be converted to text', () => {
  it.each([
    ['none', fails],
    ['form', fails],
  ] as const)('is not executed, for authentication %s', async (authentication, a) => {
    const { fetch, sent } = recordingFetch(() => jsonAnswer({}));
    const exchange = createExchange({ baseUrl: 'https://exchange.test', fetch, scheduler: createScheduler() });
    const failure = await failureOf(exchange.call(own(authentication), { a, b: 'fine' }));
    expect(failure).toMatchObject({ kind: 'transport', outcome: 'not-executed', cause: { message: 'PLANTED' } });
    expect(sent).toEqual([]);
  });

  it('is not shown when the endpoint is confidential', async () => {
    const exchange = createExchange({
      baseUrl: 'https://exchange.test',
      fetch: recordingFetch(() => jsonAnswer({})).fetch,
      scheduler: createScheduler(),
    });
    const failure = await failureOf(exchange.call(own('form', true), { a: fails }));
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain('PLANTED');
  });
});

describe('an invalid clock', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    '%d is refused with a typed error when a private request is made',
    async (time) => {
      const { fetch, sent } = recordingFetch(() => jsonAnswer({}));
      let shown = time;
      const exchange = createExchange({
        baseUrl: 'https://exchange.test',
        credentials: { apiKey: 'key', apiSecret: 'secret' },
        fetch,
        scheduler: createScheduler(),
        now: () => shown,
      });
      const issues = [{ field: 'now', message: `must return Unix milliseconds (returned ${time})` }];
      expect(await failureOf(exchange.account.mainBalance())).toMatchObject({
        kind: 'request',
        outcome: 'not-executed',
        issues,
      });
      expect(
        await failureOf(
          exchange.call(endpoints.spot.placeStockMarketOrder, { market: 'BTC_USDT', side: 'buy', amount: '1' }),
        ),
      ).toMatchObject({ kind: 'request', outcome: 'not-executed', issues });
      expect(sent).toEqual([]);
      shown = Date.now();
      expect(await firstValueFrom(exchange.account.mainBalance())).toEqual({});
      expect(sent).toHaveLength(1);
    },
  );
});
