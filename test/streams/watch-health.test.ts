// The exchange's health, watched, on the sandbox and on fake time.
import { createExchange, watchHealth, type AnyExchangeError, type ExchangeOptions, type Health } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, throwError } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { addPing, type HealthRecord, type Ping } from '../../src/streams/watch-health.js';
import { useFakeTimers } from '../support/fake-timers.js';
import { collected } from '../support/watch.js';

useFakeTimers();

const letters = { up: 'U', degraded: 'g', down: 'D' };

const failed = (error: Partial<AnyExchangeError>): Ping => ({ error: error as AnyExchangeError });

/** Pings by letter; any other letter is a good one. */
const results: Record<string, Ping> = {
  s: { latencyMs: 1500 },
  r: failed({ kind: 'transport' }),
  h: failed({ kind: 'timeout', phase: 'attempt' }),
  u: failed({ kind: 'unavailable' }),
  x: failed({ kind: 'api' }),
  l: failed({ kind: 'rate-limited' }),
  q: failed({ kind: 'queue-timeout' }),
};

function judged(pings: string, slowMs = 1000): readonly Health[] {
  const records: HealthRecord[] = [];
  for (const [index, letter] of Array.from(pings).entries())
    records.push(addPing(records.at(-1), results[letter] ?? { latencyMs: 0 }, slowMs, index));
  return records.map(({ health }) => health);
}

describe('the health', () => {
  it.each<[string, string, string, number?]>([
    ['is up after the first good ping', '..', 'UU'],
    ['is degraded after a failed first ping, until three good ones in a row', 'r....', 'gggUU'],
    ['is degraded after a slow first ping, until three good ones in a row', 's....', 'gggUU'],
    ['is not degraded by one bad ping among ten', '..r.........s.', 'UUUUUUUUUUUUUU'],
    [
      'is degraded by two bad pings among ten, until fewer than two of ten are bad and the last three are good',
      ...(['..r..s..........', 'UUUUUgggggggUUUU'] as const),
    ],
    ['is down after three failed pings in a row', '.rrr', 'UUgD'],
    ['is not down after slow pings', '.ssss', 'UUggg'],
    ['stays down when a good ping comes between bad ones', '.rrr.r.r.r.r', 'UUgDDDDDDDDD'],
    ['stays degraded when a good ping comes between bad ones', '.r.r.r.r.r.r', 'UUUggggggggg'],
    [
      'is degraded after three good pings in a row while bad ones are among the last ten, then up',
      ...(['.rrr...........', 'UUgDDDggggggUUU'] as const),
    ],
    ['is up while pings take no longer than slowMs', '.ssss', 'UUUUU', 2000],
    ['stays down while later pings wait for a permit', ...(['rrrq...', 'ggDDDDg'] as const)],
  ])('%s', (_, pings, states, slowMs) => {
    const healths = judged(pings, slowMs);
    expect(healths.map(({ state }) => letters[state]).join('')).toBe(states);
  });

  it('keeps its reason for longer than the window', () => {
    const error = { kind: 'queue-timeout' };
    const last = judged(`rrr${'q'.repeat(70)}`).at(-1);
    expect(last).toMatchObject({ state: 'down', reason: 'unreachable', error });
  });

  it.each([
    ['.uu', { state: 'degraded', reason: 'unavailable', error: { kind: 'unavailable' } }],
    ['.rr', { state: 'degraded', reason: 'unreachable', error: { kind: 'transport' } }],
    ['.hh', { state: 'degraded', reason: 'unreachable', error: { kind: 'timeout' } }],
    ['.ss', { state: 'degraded', reason: 'slow' }],
    ['.xx', { state: 'degraded', reason: 'failing' }],
    ['.uu.', { state: 'degraded', reason: 'unavailable', error: undefined }],
    ['...', { state: 'up', reason: undefined }],
    ['uuulq', { state: 'down', reason: 'unavailable' }],
    ['.ll', { state: 'degraded', reason: 'limited', error: { kind: 'rate-limited' } }],
  ])('has its reason after the pings %s', (pings, expected) => {
    const last = judged(pings).at(-1);
    expect({ reason: undefined, error: undefined, ...last }).toMatchObject(expected);
  });

  it('has the median and the 99th percentile of latency, and the success ratio', () => {
    const healths = judged('.s.u');
    expect(healths[0]).toMatchObject({ latency: { lastMs: 0, p50Ms: 0, p99Ms: 0 }, successRatio: 1 });
    expect(healths[1]).toMatchObject({ latency: { lastMs: 1500, p50Ms: 0, p99Ms: 1500 } });
    expect(healths[3]).toMatchObject({ latency: { lastMs: undefined, p50Ms: 0, p99Ms: 1500 } });
    expect(healths[3]?.successRatio).toBeCloseTo(3 / 4);
  });

  it('has the time at which its state began', () => {
    expect(judged('..uu.').map(({ since }) => since)).toEqual([0, 0, 0, 3, 3]);
  });
});

describe('watchHealth', () => {
  it('does not hide a bug of the program', async () => {
    const fault = new Error('a defect');
    const exchange = createExchange(createSandbox().clientOptions());
    const failing = { public: { ...exchange.public, ping: () => throwError(() => fault) } };
    await expect(firstValueFrom(watchHealth(failing))).rejects.toBe(fault);
  });

  /** The health in 5 s, of a client with so many permits. */
  async function healthWithin(
    limit: { readonly limit: number; readonly windowMs: number },
    watching: Parameters<typeof watchHealth>[1],
    options: Partial<ExchangeOptions> = {},
  ) {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange({ ...sandbox.clientOptions(), limits: { public: limit }, ...options });
    const seen = collected(watchHealth(exchange, watching));
    await vi.advanceTimersByTimeAsync(5000);
    return { sandbox, seen };
  }

  it('is never down because pings wait for a permit', async () => {
    const { sandbox, seen } = await healthWithin({ limit: 2, windowMs: 600_000 }, { everyMs: 100, slowMs: 40 });
    expect(seen.at(-1)).toMatchObject({ state: 'degraded', reason: 'limited', error: { kind: 'queue-timeout' } });
    expect(sandbox.ledger.requests).toHaveLength(2);
  });

  it('counts a call that timed out before its ping was sent as limited, not as unreachable', async () => {
    const limit = { limit: 1, windowMs: 600_000 };
    const { seen } = await healthWithin(limit, { everyMs: 100 }, { callTimeoutMs: 300 });
    const error = { kind: 'timeout', phase: 'call' };
    expect(seen.at(-1)).toMatchObject({ state: 'degraded', reason: 'limited', error });
  });

  it('does not count the wait for a permit as latency', async () => {
    const { seen } = await healthWithin({ limit: 1, windowMs: 1000 }, { everyMs: 10 });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.every(({ latency }) => latency.p99Ms === 0)).toBe(true);
  });

  it('shares its pings, gives a late subscriber the last health at once, and stops with the last one', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    sandbox.fault({ kind: 'slow', delayMs: 50 });
    const health$ = watchHealth(createExchange(sandbox.clientOptions()), { everyMs: 100 });
    const subscriptions = Array.from({ length: 1000 }, () => health$.subscribe());
    await vi.advanceTimersByTimeAsync(250);
    expect(sandbox.ledger.requests).toHaveLength(3);
    expect(await firstValueFrom(health$)).toMatchObject({ state: 'up', latency: { p99Ms: 50 } });
    for (const subscription of subscriptions) subscription.unsubscribe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sandbox.ledger.requests).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });
});
