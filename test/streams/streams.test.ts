// What all polled streams of balances promise, on the sandbox and on fake time.
import {
  allRateLimits,
  createExchange,
  RequestError,
  watchBalance,
  type Exchange,
  type ExchangeOptions,
  type WatchBalanceOptions,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, Subject, take, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watch } from '../support/watch.js';

type WatchOptions = Omit<WatchBalanceOptions, 'wallet' | 'live'>;

interface Watched {
  readonly path: string;
  readonly watch: (exchange: Exchange, options: WatchOptions) => Observable<unknown>;
}

const wallets: Readonly<Record<string, Watched>> = {
  main: { path: '/api/v4/main-account/balance', watch: (exchange, options) => watchBalance(exchange, options) },
  spot: {
    path: '/api/v4/trade-account/balance',
    watch: (exchange, options) => watchBalance(exchange, { ...options, wallet: 'spot' }),
  },
  collateral: {
    path: '/api/v4/collateral-account/balance',
    watch: (exchange, options) => watchBalance(exchange, { ...options, wallet: 'collateral' }),
  },
  all: {
    path: '/api/v4/collateral-account/balance',
    watch: (exchange, options) => watchBalance(exchange, { ...options, wallet: 'all' }),
  },
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setup({ path, watch: start }: Watched, options: Partial<ExchangeOptions> = {}) {
  const sandbox = createSandbox();
  const exchange = createExchange({ ...sandbox.clientOptions(), ...options });
  const polls = () => sandbox.ledger.requests.filter((request) => request.path.startsWith(path)).length;
  const stream$ = (settings: WatchOptions = {}) => start(exchange, { everyMs: 1000, random: () => 1, ...settings });
  return { sandbox, exchange, polls, stream$ };
}

describe.each(Object.entries(wallets))('the balance of %s', (_name, watched) => {
  it('polls once for all subscribers, and stops with the last one', async () => {
    const { polls, stream$ } = setup(watched);
    const shared$ = stream$();
    const subscriptions = Array.from({ length: 100 }, () => shared$.subscribe());
    await vi.advanceTimersByTimeAsync(500);
    expect(polls()).toBe(1);
    for (const one of subscriptions) one.unsubscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(polls()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no request and no timer when it is unsubscribed during a poll, or in a backoff', async () => {
    for (const kind of ['hang', 'status'] as const) {
      const { sandbox, polls, stream$ } = setup(watched);
      sandbox.fault({ kind, path: watched.path });
      const subscription = stream$().subscribe();
      await vi.advanceTimersByTimeAsync(100);
      subscription.unsubscribe();
      const sent = polls();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(polls()).toBe(sent);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('has at most one poll in flight', async () => {
    const { sandbox, polls, stream$ } = setup(watched);
    sandbox.fault({ kind: 'slow', path: watched.path, delayMs: 5000, times: 10 });
    const refreshOn = new Subject<void>();
    stream$({ everyMs: 10, refreshOn }).subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    refreshOn.next();
    await vi.advanceTimersByTimeAsync(3500);
    expect(polls()).toBe(1);
  });

  it('sends its requests with priority background', async () => {
    const limits = Object.fromEntries(allRateLimits().map(({ name }) => [name, { limit: 1, windowMs: 60_000 }]));
    const { exchange, stream$ } = setup(watched, { limits });
    stream$({ everyMs: 10 }).subscribe();
    await vi.advanceTimersByTimeAsync(100);
    const usage = await firstValueFrom(exchange.scheduler.usage$);
    const queued = usage.flatMap((one) => (one.queued.background > 0 ? [one.queued] : []));
    expect(queued.length).toBeGreaterThan(0);
    for (const one of queued) expect(one).toEqual({ urgent: 0, normal: 0, background: 1 });
  });

  it('backs off after failures, and waits for Retry-After', async () => {
    const { sandbox, polls, stream$ } = setup(watched);
    sandbox.fault({ kind: 'status', path: watched.path, times: 1 });
    sandbox.fault({ kind: 'status', path: watched.path, times: 1, retryAfterSeconds: 20 });
    stream$().subscribe();
    await vi.advanceTimersByTimeAsync(1900);
    expect(polls()).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(polls()).toBe(2);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(polls()).toBe(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(polls()).toBe(3);
  });

  it('pauses and resumes with a poll at once', async () => {
    const { polls, stream$ } = setup(watched);
    const pauseWhile = new Subject<boolean>();
    stream$({ pauseWhile }).subscribe();
    await vi.advanceTimersByTimeAsync(10);
    pauseWhile.next(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(polls()).toBe(1);
    pauseWhile.next(false);
    await vi.advanceTimersByTimeAsync(10);
    expect(polls()).toBe(2);
  });

  it('does not poll before the end of a backoff, however often it is paused and resumed', async () => {
    const { sandbox, polls, stream$ } = setup(watched);
    sandbox.fault({ kind: 'status', path: watched.path, times: 1, retryAfterSeconds: 20 });
    const pauseWhile = new Subject<boolean>();
    stream$({ pauseWhile }).subscribe();
    for (let second = 0; second < 20; second += 1) {
      pauseWhile.next(true);
      await vi.advanceTimersByTimeAsync(500);
      pauseWhile.next(false);
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(polls()).toBe(1);
    await vi.advanceTimersByTimeAsync(1100);
    expect(polls()).toBe(2);
  });

  it('polls once at a hint in a backoff that a pause was in, and not in a pause', async () => {
    const { sandbox, polls, stream$ } = setup(watched);
    sandbox.fault({ kind: 'status', path: watched.path, times: 1, retryAfterSeconds: 20 });
    const [pauseWhile, refreshOn] = [new Subject<boolean>(), new Subject<void>()];
    stream$({ pauseWhile, refreshOn }).subscribe();
    await vi.advanceTimersByTimeAsync(500);
    pauseWhile.next(true);
    refreshOn.next();
    await vi.advanceTimersByTimeAsync(500);
    expect(polls()).toBe(1);
    pauseWhile.next(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(polls()).toBe(1);
    refreshOn.next();
    await vi.advanceTimersByTimeAsync(500);
    expect(polls()).toBe(2);
    // The poll succeeded: the backoff is over.
    pauseWhile.next(true);
    pauseWhile.next(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(polls()).toBe(3);
  });

  it('ends with the error of pauseWhile, and goes on when refreshOn fails', async () => {
    const { polls, stream$ } = setup(watched);
    const [pauseWhile, refreshOn] = [new Subject<boolean>(), new Subject<void>()];
    const items = watch(stream$({ pauseWhile, refreshOn }));
    refreshOn.error(new Error('the hints broke'));
    await vi.advanceTimersByTimeAsync(1500);
    expect(polls()).toBe(2);
    pauseWhile.error('broken');
    expect(items.at(-1)).toBe('broken');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(polls()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('survives a subscriber that leaves, and another that comes, while an item is emitted', async () => {
    const { polls, stream$ } = setup(watched);
    const shared$ = stream$();
    const inner: unknown[] = [];
    shared$.pipe(take(1)).subscribe(() => shared$.subscribe((item) => inner.push(item)));
    await vi.advanceTimersByTimeAsync(4000);
    expect(inner.length).toBeGreaterThan(1);
    expect(polls()).toBe(5);
  });

  it('goes on polling when the clock of the machine goes backwards', async () => {
    const { polls, stream$ } = setup(watched);
    const items = watch(stream$());
    await vi.advanceTimersByTimeAsync(1500);
    vi.setSystemTime(Date.now() - 3_600_000);
    // The exchange has the same clock here: it refuses the nonces of signed requests once.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(polls()).toBeGreaterThan(4);
    expect(items.filter((item) => item instanceof Error)).toEqual([]);
  });

  it('rejects invalid options', () => {
    const { exchange } = setup(watched);
    expect(() => watched.watch(exchange, { everyMs: 0 })).toThrow('watchBalance: everyMs 0 must be above 0');
    expect(() => watched.watch(exchange, { evryMs: 5 } as object)).toThrow(RequestError);
  });

  it('gives a late subscriber the last update at once', async () => {
    const { polls, stream$ } = setup(watched);
    const shared$ = stream$();
    const items = watch(shared$);
    await vi.advanceTimersByTimeAsync(500);
    const late = watch(shared$);
    expect(late).toEqual(items);
    expect(polls()).toBe(1);
  });

  it('keeps the state as stale, with the error, until a poll succeeds', async () => {
    const { sandbox, stream$ } = setup(watched);
    const start = Date.now();
    const items = watch(stream$());
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'status', path: watched.path });
    await vi.advanceTimersByTimeAsync(2600);
    const [fresh, stale, again] = items;
    expect(items).toHaveLength(3);
    expect(fresh).toMatchObject({ stale: false, readAt: start });
    const { error, ...kept } = stale as { readonly error: unknown };
    expect(error).toMatchObject({ kind: 'unavailable' });
    expect(kept).toEqual({ ...(fresh as object), stale: true });
    expect(again).toMatchObject({ stale: false, readAt: start + 3000 });
    expect(again).not.toHaveProperty('error');
  });

  it('is stale for a subscriber who comes late in a pause', async () => {
    const { stream$ } = setup(watched);
    const pauseWhile = new Subject<boolean>();
    const shared$ = stream$({ pauseWhile });
    shared$.subscribe();
    await vi.advanceTimersByTimeAsync(10);
    pauseWhile.next(true);
    await vi.advanceTimersByTimeAsync(2000);
    expect(watch(shared$)).toMatchObject([{ stale: true }]);
  });

  it('is stale for a subscriber who comes before the poll after a pause got its response', async () => {
    const { sandbox, stream$ } = setup(watched);
    const pauseWhile = new Subject<boolean>();
    const shared$ = stream$({ pauseWhile });
    shared$.subscribe();
    await vi.advanceTimersByTimeAsync(10);
    pauseWhile.next(true);
    await vi.advanceTimersByTimeAsync(3_600_000);
    sandbox.fault({ kind: 'hang', path: watched.path });
    pauseWhile.next(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(watch(shared$)).toMatchObject([{ stale: true }]);
  });

  it('is stale for a subscriber who comes while a poll hangs', async () => {
    const { sandbox, stream$ } = setup(watched);
    const shared$ = stream$();
    shared$.subscribe();
    await vi.advanceTimersByTimeAsync(500);
    sandbox.fault({ kind: 'hang', path: watched.path });
    await vi.advanceTimersByTimeAsync(4000);
    expect(watch(shared$)).toMatchObject([{ stale: true }]);
  });

  it('is stale for a subscriber who comes late in a pause, although the clock was set back', async () => {
    const { stream$ } = setup(watched);
    const pauseWhile = new Subject<boolean>();
    const shared$ = stream$({ pauseWhile });
    shared$.subscribe();
    await vi.advanceTimersByTimeAsync(10);
    pauseWhile.next(true);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(watch(shared$)).toMatchObject([{ stale: true }]);
  });
});
