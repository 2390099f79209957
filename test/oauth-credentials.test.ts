// The tokens of a user are refreshed before they end, one refresh at a time, and kept before they are used.
import { authorizationUrl, baseUrls, createExchange, oauthCredentials, userTokens, type UserTokens } from 'exchange-rx';
import { firstValueFrom, forkJoin } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from './support/failure.js';
import { useFakeTimers } from './support/fake-timers.js';
import { printed } from './support/printed.js';
import { jsonAnswer, recordingFetch } from './support/recording-fetch.js';
import { watch } from './support/watch.js';

const start = 1_795_000_000_000;
useFakeTimers(start);

const first: UserTokens = {
  accessToken: 'access-token-0',
  refreshToken: 'refresh-token-0',
  expiresAt: start + 300_000,
};

/** The responses to refreshes, in their order; then new tokens. */
function world(...answers: readonly (() => Response | Promise<Response>)[]) {
  const { fetch, sent } = recordingFetch(() => {
    const number = sent.length;
    const data = { access_token: `access-token-${number}`, refresh_token: `refresh-token-${number}`, expires_in: 300 };
    return (answers[number - 1] ?? (() => jsonAnswer({ data })))();
  });
  const exchange = createExchange({ baseUrl: 'https://exchange.example', fetch, retry: false });
  const saved: UserTokens[] = [];
  const save = vi.fn((tokens: UserTokens): void | Promise<void> => {
    saved.push(tokens);
  });
  const user = oauthCredentials({ exchange, clientId: 'id', clientSecret: 'client-secret', tokens: first, save });
  return { user, sent, saved, save };
}

describe('an access token', () => {
  it('is not refreshed while it is good for longer than refreshBeforeMs', async () => {
    const { user, sent } = world();
    expect(await firstValueFrom(user.accessToken$)).toBe('access-token-0');
    expect(sent).toEqual([]);
  });

  it('is refreshed before it ends, once for concurrent subscribers, and kept before it is used', async () => {
    const { user, sent, saved } = world();
    vi.setSystemTime(start + 280_000);
    const both = await firstValueFrom(forkJoin([user.accessToken$, user.accessToken$]));
    expect(both).toEqual(['access-token-1', 'access-token-1']);
    expect(sent.map(({ body }) => new URLSearchParams(body).get('token'))).toEqual(['refresh-token-0']);
    expect(saved).toEqual([
      { accessToken: 'access-token-1', refreshToken: 'refresh-token-1', expiresAt: start + 580_000 },
    ]);
  });

  it('is emitted when its promise to be kept has resolved, and kept once for concurrent subscribers', async () => {
    const { user, sent, save } = world();
    vi.setSystemTime(start + 280_000);
    const kept: (() => void)[] = [];
    save.mockImplementation(() => new Promise<void>((resolve) => kept.push(resolve)));
    const tokens = [watch(user.accessToken$), watch(user.accessToken$)];
    await vi.advanceTimersByTimeAsync(1000);
    tokens.push(watch(user.accessToken$));
    expect([tokens, sent.length, kept.length]).toEqual([[[], [], []], 1, 1]);
    kept[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(tokens).toEqual([['access-token-1'], ['access-token-1'], ['access-token-1']]);
  });

  it('is not used while it cannot be kept: it is kept at the next subscription, without another refresh', async () => {
    const { user, sent, save } = world();
    vi.setSystemTime(start + 280_000);
    save.mockImplementationOnce(() => {
      throw new Error('the disk is full');
    });
    expect(await failureOf(user.accessToken$)).toMatchObject({ kind: 'request', issues: [{ field: 'save' }] });
    expect(await firstValueFrom(user.accessToken$)).toBe('access-token-1');
    expect(sent).toHaveLength(1);
  });

  it('is lost with a refresh whose response was lost: nothing is sent any more', async () => {
    const { user, sent } = world(() => Promise.reject(new TypeError('fetch failed')));
    vi.setSystemTime(start + 280_000);
    const error = await failureOf(user.accessToken$);
    expect(error).toMatchObject({ kind: 'lookup', outcome: 'unknown' });
    expect(await failureOf(user.accessToken$)).toBe(error);
    expect(sent).toHaveLength(1);
    expect(JSON.stringify([error.message, error.cause])).not.toContain('refresh-token-0');
  });

  it('is lost when its last subscriber leaves while it is refreshed: the exchange may have replaced it', async () => {
    const { user, sent } = world(() => new Promise<Response>(() => undefined));
    vi.setSystemTime(start + 280_000);
    const leaving = user.accessToken$.subscribe();
    await vi.advanceTimersByTimeAsync(0);
    leaving.unsubscribe();
    expect(await failureOf(user.accessToken$)).toMatchObject({ kind: 'lookup', outcome: 'unknown' });
    expect(sent).toHaveLength(1);
  });

  it('ends with an error of the exchange when the refresh token is not valid, without a second refresh', async () => {
    const { user, sent } = world(() => jsonAnswer({ data: { token: ['Invalid token.'] } }, 400));
    vi.setSystemTime(start + 280_000);
    expect(await failureOf(user.accessToken$)).toMatchObject({ kind: 'api', outcome: 'rejected' });
    expect(sent).toHaveLength(1);
  });

  it('is renewed before each end while renewals$ is subscribed, so the refresh token does not end either', async () => {
    const { user, sent, saved } = world();
    const tokens: string[] = [];
    const subscription = user.renewals$.subscribe((token) => tokens.push(token));
    await vi.advanceTimersByTimeAsync(900_000);
    expect(tokens).toEqual(['access-token-0', 'access-token-1', 'access-token-2', 'access-token-3']);
    expect(saved.map(({ expiresAt }) => expiresAt - start)).toEqual([570_000, 840_000, 1_110_000]);
    subscription.unsubscribe();
    await vi.advanceTimersByTimeAsync(900_000);
    expect(sent).toHaveLength(3);
  });

  it('is renewed once a second at most, where it ends sooner than refreshBeforeMs', async () => {
    const data = { access_token: 'access-token-x', refresh_token: 'refresh-token-x', expires_in: 10 };
    const { user, sent } = world(...Array.from({ length: 20 }, () => () => jsonAnswer({ data })));
    vi.setSystemTime(start + 290_000);
    const subscription = user.renewals$.subscribe();
    await vi.advanceTimersByTimeAsync(10_000);
    subscription.unsubscribe();
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.length).toBeLessThan(12);
  });

  it('is not printed with the credentials', async () => {
    const { user } = world();
    vi.setSystemTime(start + 280_000);
    await firstValueFrom(user.accessToken$);
    expect(printed(user)).not.toMatch(/(access|refresh)-token-\d|client-secret/);
  });

  it('is refreshed again after a refresh that was refused', async () => {
    const { user, sent } = world(() => jsonAnswer({ code: 0, message: 'busy', errors: {} }, 429));
    vi.setSystemTime(start + 280_000);
    expect((await failureOf(user.accessToken$)).outcome).not.toBe('unknown');
    vi.setSystemTime(start + 290_000);
    await vi.advanceTimersByTimeAsync(5000);
    const token = firstValueFrom(user.accessToken$);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await token).toBe('access-token-2');
    expect(sent).toHaveLength(2);
  });
});

it('tokens without a refresh token cannot be kept fresh', () => {
  expect(() => userTokens({ access_token: 'access-token-1' })).toThrow('refresh_token is missing');
});

it('the page of an authorization has the application, the state and the challenge', () => {
  const request = { baseUrl: `${baseUrls.global}/`, clientId: 'app', state: 's&t' };
  expect(authorizationUrl(request)).toBe('https://whitebit.com/auth/login?clientId=app&state=s%26t');
  expect(authorizationUrl({ ...request, redirectUri: 'https://a.example/', codeChallenge: 'c' })).toContain(
    'redirect_uri=https%3A%2F%2Fa.example%2F&code_challenge=c&code_challenge_method=S256',
  );
});
