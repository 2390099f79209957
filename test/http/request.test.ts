import * as endpoints from 'exchange-rx/endpoints';

// A request that cannot be made is refused with a typed error before anything is sent: its parameters, and the clock
// that its nonce is made by.
import { createExchange, createScheduler, defineEndpoint, rateLimits } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

it('parameters of a public endpoint are sent in the query string', async () => {
  const depth = defineEndpoint({
    name: 'depth',
    method: 'GET',
    path: '/depth',
    rateLimit: rateLimits.public,
    authentication: 'none',
    safety: 'read',
    request: v.strictObject({ market: v.string(), level: v.number() }),
    response: v.unknown(),
  });
  const { fetch, sent } = recordingFetch(() => jsonAnswer({}));
  const exchange = createExchange({ baseUrl: 'https://exchange.test', fetch });
  await firstValueFrom(exchange.call(depth, { market: 'A&B_C', level: 2 }));
  expect(sent[0]?.url).toBe('https://exchange.test/depth?market=A%26B_C&level=2');
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
