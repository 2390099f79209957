// The clock that a nonce is made by: a request that cannot be made is refused before anything is sent.
import { createExchange, createScheduler } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

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
      const order$ = exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '1' });
      expect(await failureOf(order$)).toMatchObject({ kind: 'request', outcome: 'not-executed', issues });
      expect(sent).toEqual([]);
      shown = Date.now();
      expect(await firstValueFrom(exchange.account.mainBalance())).toEqual({});
      expect(sent).toHaveLength(1);
    },
  );
});
