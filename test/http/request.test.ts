// The clock that a nonce is made by: a request that cannot be made is refused before anything is sent.
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import { ordering } from './ordering.js';

it.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'a clock that shows %d is refused with a typed error when a private request is made',
  async (time) => {
    const { fetch, sent } = recordingFetch(() => jsonAnswer({}));
    let shown = time;
    const { exchange, order$ } = ordering({ fetch, now: () => shown });
    const issues = [{ field: 'now', message: `must return Unix milliseconds (returned ${time})` }];
    for (const call$ of [exchange.account.mainBalance(), order$])
      expect(await failureOf(call$)).toMatchObject({ kind: 'request', outcome: 'not-executed', issues });
    expect(sent).toEqual([]);
    shown = Date.now();
    expect(await firstValueFrom(exchange.account.mainBalance())).toEqual({});
    expect(sent).toHaveLength(1);
  },
);
