// Refusals that come at once: whatever subscribes again to them, the stack holds, and timers run.
import { createExchange, createScheduler, rateLimits, whenUp, type Exchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import {
  catchError,
  defer,
  EMPTY,
  filter,
  lastValueFrom,
  NEVER,
  Observable,
  of,
  repeat,
  retry,
  Subscription,
  take,
  tap,
  throwError,
  timer,
  type Observer,
} from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SynchronousErrors } from '../../src/errors/index.js';
import { failureOf } from '../support/failure.js';
import type { NoParams } from '../../src/endpoint/index.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const bad: NoParams = { loud: true };

function refusals(): Readonly<Record<string, Observable<unknown>>> {
  const exchange = createExchange(createSandbox().clientOptions());
  const { baseUrl, fetch } = createSandbox().clientOptions();
  const scheduler = createScheduler({ limits: { public: { limit: 1, windowMs: 60_000 } }, maxQueued: 0 });
  const full = createExchange({ baseUrl, fetch, scheduler, retry: false });
  full.public.ping().subscribe();
  return {
    'a bad parameter': exchange.public.ping(bad),
    'a bad parameter, called anew each time': defer(() => exchange.public.ping(bad)),
    'a bad order': exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '-1' }),
    'no credentials': createExchange({ baseUrl, fetch }).account.mainBalance(),
    'a line that is full': full.public.ping(),
    'an exchange that is down': NEVER.pipe(whenUp(of({ state: 'down' } as const), { whileDown: 'fail' })),
  };
}

function fail(error: unknown): never {
  throw error;
}

describe.each(Object.keys(refusals()))('%s', (name) => {
  function counted() {
    let times = 0;
    const refusal$ = refusals()[name] ?? EMPTY;
    return { times: () => times, refused$: refusal$.pipe(tap({ subscribe: () => (times += 1) })) };
  }

  it('is refused at once', () => {
    let error: unknown;
    counted().refused$.subscribe({ error: (refusal: unknown) => (error = refusal) });
    expect(error).toMatchObject({ outcome: 'not-executed' });
  });

  it('does not overflow the stack when it is retried 100,000 times', async () => {
    const { refused$, times } = counted();
    const failure = failureOf(refused$.pipe(retry({ count: 100_000 })));
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await failure).toMatchObject({ outcome: 'not-executed' });
    expect(times()).toBe(100_001);
  });

  it('is retried until a timer unsubscribes', async () => {
    const { refused$, times } = counted();
    const subscription = refused$.pipe(retry()).subscribe({ error: fail });
    timer(50).subscribe(() => {
      subscription.unsubscribe();
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(subscription.closed).toBe(true);
    const atEnd = times();
    await vi.advanceTimersByTimeAsync(1000);
    expect(times()).toBe(atEnd);
    expect(times()).toBeGreaterThan(50);
  });

  it('is repeated, where its error is swallowed, until a timer unsubscribes', async () => {
    const { refused$ } = counted();
    const before = vi.getTimerCount();
    const subscription = refused$
      .pipe(
        catchError(() => EMPTY),
        repeat(),
      )
      .subscribe({ error: fail });
    await vi.advanceTimersByTimeAsync(50);
    subscription.unsubscribe();
    expect(vi.getTimerCount()).toBeLessThanOrEqual(before);
  });
});

describe('ends that are spread', () => {
  it('are those of their source where it does not end at once', async () => {
    const ends = new SynchronousErrors();
    const seen: unknown[] = [];
    const observer: Partial<Observer<unknown>> = {
      next: (value) => seen.push(value),
      error: (error: unknown) => seen.push(error),
      complete: () => seen.push('end'),
    };
    ends.spread(timer(10)).subscribe(observer);
    ends.spread(defer(() => Promise.reject(new Error('late')))).subscribe(observer);
    await vi.advanceTimersByTimeAsync(10);
    expect(seen).toEqual([new Error('late'), 0, 'end']);
    expect(await lastValueFrom(ends.spread(of(1, 2)))).toBe(2);
  });

  it('leave their source at once when their subscriber leaves while it subscribes', () => {
    let isLeft: boolean | undefined;
    const source = new Observable<number>((subscriber) => {
      subscriber.next(1);
      isLeft = subscriber.closed;
    });
    new SynchronousErrors().spread(source).pipe(take(1)).subscribe();
    expect(isLeft).toBe(true);
  });

  it('keep no timer when they are unsubscribed', () => {
    const ends = new SynchronousErrors();
    const failing$ = ends.spread(throwError(() => new Error('at once')));
    const subscriptions = Array.from({ length: 100 }, () => failing$.subscribe({ error: () => undefined }));
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    for (const subscription of subscriptions) subscription.unsubscribe();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe.each<[string, (full: Exchange) => Observable<unknown>]>([
  ['a read', (full) => full.public.ping()],
  ['a permit', (full) => full.scheduler.acquire(rateLimits.public)],
])('the refusal of %s, for which the line is full while another is granted its permit', (_, refusalOf) => {
  it('is retried until a timer unsubscribes', async () => {
    const scheduler = createScheduler({ maxQueued: 0 });
    const full = createExchange({
      ...createSandbox().clientOptions(),
      fetch: () => new Promise(() => undefined),
      scheduler,
      maxInFlight: 1,
      retry: false,
    });
    const retried = new Subscription();
    let times = 0;
    const count = () => {
      times += 1;
      // Without a bound, a failure would never end.
      if (times > 5000) retried.unsubscribe();
    };
    full.events$.pipe(filter(({ type }) => type === 'request')).subscribe(() => {
      retried.add(
        refusalOf(full)
          .pipe(tap({ error: count }), retry())
          .subscribe({ error: fail }),
      );
    });
    full.public.ping().subscribe({ error: fail });
    const timesAtOnce = times;
    await vi.advanceTimersByTimeAsync(50);
    retried.unsubscribe();
    expect(timesAtOnce).toBeLessThan(100);
    expect(times).toBeGreaterThan(50);
  });
});
