// An endpoint of safety `once`: its observable is one change, whatever is piped around it.
import { createExchange, type Exchange } from 'exchange-rx';
import { merge, repeat, retry, timeout, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers, within } from '../support/fake-timers.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

useFakeTimers();

const tokens = {
  data: { access_token: 'a', refresh_token: 'b', token_type: 'Bearer', expires_in: 300, scope: 'show' },
};
const refreshed = { data: { access_token: 'a' } };
const unavailable = () => jsonAnswer('', 503);
const limited = () => new Response('<html></html>', { status: 429 });
const late = (response: Response) =>
  new Promise<Response>((resolve) => {
    setTimeout(resolve, 1000, response);
  });

/** Responds to the requests in this order, and to all further ones with the tokens. */
function answering(...answers: readonly (() => Response | Promise<Response>)[]) {
  const { fetch, sent } = recordingFetch(() => (answers[sent.length - 1] ?? (() => jsonAnswer(tokens)))());
  const exchange = createExchange({ baseUrl: 'https://exchange.example', fetch });
  return { exchange, sent };
}

const refresh = ({ oauth }: Exchange, options = {}) =>
  oauth.refreshToken({ client_id: 'id', client_secret: 'secret', token: 'token' }, options);

const resultsOf = (result$: Observable<unknown>) => within(120_000, result$);

describe('an observable of a request that must not be executed twice', () => {
  it.each([
    ['a 503', unavailable],
    ['a lost connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['an unreadable response', () => jsonAnswer({})],
    ['a 502', () => jsonAnswer('', 502)],
  ])('is not sent again by retry() after %s', async (_, answer) => {
    const { exchange, sent } = answering(answer);
    expect(await resultsOf(refresh(exchange).pipe(retry(5)))).toMatchObject([{ outcome: 'unknown' }]);
    expect(sent).toHaveLength(1);
  });

  it('is sent once for concurrent, late and repeated subscriptions, which all get its result', async () => {
    const { exchange, sent } = answering(() => late(jsonAnswer(tokens)));
    const refresh$ = refresh(exchange);
    expect(await resultsOf(merge(refresh$, refresh$.pipe(repeat(2))))).toMatchObject([refreshed, refreshed, refreshed]);
    expect(await resultsOf(refresh$)).toMatchObject([refreshed]);
    expect(sent).toHaveLength(1);
  });

  it('goes on for one subscriber when another leaves', async () => {
    const { exchange, sent } = answering(() => late(jsonAnswer(tokens)));
    const refresh$ = refresh(exchange);
    const left = refresh$.subscribe();
    const results = await within(100, refresh$);
    left.unsubscribe();
    await vi.advanceTimersByTimeAsync(2000);
    expect(results).toMatchObject([refreshed]);
    expect(sent).toHaveLength(1);
  });

  it.each<[string, (exchange: Exchange) => Observable<unknown>, string]>([
    ['its subscriber left', (exchange) => refresh(exchange).pipe(timeout(100)), 'transport'],
    ['the call exceeded its time', (exchange) => refresh(exchange, { callTimeoutMs: 100 }), 'timeout'],
  ])('is not sent again after %s while a request was in flight', async (_, call, kind) => {
    const { exchange, sent } = answering(() => late(jsonAnswer(tokens)));
    expect(await resultsOf(call(exchange).pipe(retry(3)))).toMatchObject([{ kind, outcome: 'unknown' }]);
    expect(sent).toHaveLength(1);
  });

  it('is sent again when it is known that nothing was executed', async () => {
    const { exchange, sent } = answering(limited);
    const results = await resultsOf(refresh(exchange, { retry: false }).pipe(retry(1)));
    expect(results).toMatchObject([refreshed]);
    expect(sent).toHaveLength(2);
  });
});
