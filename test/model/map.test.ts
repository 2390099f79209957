// Responses that are maps from names to values.
import { createExchange } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

const credentials = { apiKey: 'key', apiSecret: 'secret' };

function answering(body: unknown) {
  const { fetch } = recordingFetch(() => jsonAnswer(body));
  const { account, orders } = createExchange({ baseUrl: 'https://exchange.example', credentials, retry: false, fetch });
  return { balance$: account.mainBalance(), history$: orders.history({}) };
}

describe('a map', () => {
  it('is empty where the exchange responds with an empty list', async () => {
    const { balance$, history$ } = answering([]);
    expect(await firstValueFrom(balance$)).toEqual({});
    expect(await firstValueFrom(history$)).toEqual({});
  });

  it.each([[[{ main_balance: '5' }]], [[[]]], [['BTC']], [5], ['BTC'], [null]])(
    'is not %j: indexes are no names',
    async (body) => {
      const { balance$, history$ } = answering(body);
      expect(await failureOf(balance$)).toMatchObject({ kind: 'response' });
      expect(await failureOf(history$)).toMatchObject({ kind: 'response' });
    },
  );
});
