// The typed error of a request without a response, by the rejection of `fetch`.
import { createExchange, type Fetch } from 'exchange-rx';
import { inspect } from 'node:util';
import { firstValueFrom, throwError } from 'rxjs';
import { expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';

it('the error of a user’s fetch has no control characters in any of its texts, whatever its cause', async () => {
  const attack = '\u001b]0;owned\u0007\u001b[2J\r\u009b31m\u202e\u0000';
  const inner = Object.assign(new Error(`inner ${attack}`), { code: `E_${attack}` });
  inner.name = `Name${attack}`;
  inner.cause = inner;
  inner.stack = `Error: inner ${attack}\n    at ${attack} (file.js:1:1)`;
  const thrown: readonly unknown[] = [
    Object.assign(new TypeError(`fetch failed ${attack}`, { cause: inner }), { code: attack }),
    new AggregateError([inner, `second ${attack}`, undefined, 7], `several ${attack}`),
    `a text ${attack}`,
  ];
  for (const error of thrown) {
    const fetch: Fetch = () => firstValueFrom(throwError(() => error));
    const exchange = createExchange({ baseUrl: 'https://exchange.example', fetch, retry: false });
    const failure = await failureOf(exchange.public.ping());
    expect(failure).toMatchObject({ kind: 'transport', outcome: 'none', cause: expect.any(Error) as Error });
    const texts: string[] = [];
    for (let one: unknown = failure; one instanceof Error; one = one.cause)
      texts.push(one.name, one.message, one.stack ?? '', inspect(one, { showHidden: true }));
    expect(texts.join('\n')).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(failure.cause).toMatchObject({ message: expect.stringMatching(/fetch|several|a text/) as string });
  }
});
