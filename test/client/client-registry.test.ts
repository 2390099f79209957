// What clients of one process share by default.
import {
  ClientRegistry,
  createExchange,
  createScheduler,
  rateLimits,
  type ExchangeOptions,
  type Scheduler,
} from 'exchange-rx';
import { describe, expect, it } from 'vitest';

const baseUrl = 'https://exchange.example';
const limits = { public: { limit: 3, windowMs: 60_000 } };

/** How many permits of the public group each of the schedulers grants, asked in turn. */
function grants(...schedulers: readonly Scheduler[]): number[] {
  const counts = schedulers.map(() => 0);
  for (let round = 0; round < 6; round += 1) {
    schedulers.forEach((scheduler, index) => {
      scheduler
        .acquire(rateLimits.public)
        .subscribe(() => (counts[index] = (counts[index] ?? 0) + 1))
        .unsubscribe();
    });
  }
  return counts;
}

const clients = (...options: readonly Partial<ExchangeOptions>[]) =>
  options.map((one) => createExchange({ baseUrl, registry: new ClientRegistry(), ...one }).scheduler);

describe('clients of one process', () => {
  it('share by address: together they get the permits of one client', () => {
    const registry = new ClientRegistry();
    expect(grants(...clients({ registry, limits }, { registry }))).toEqual([2, 1]);
    const at = (address: string) => ({ registry, limits, baseUrl: `https://${address}` });
    expect(grants(...clients(at('exchange-one.example'), at('exchange-two.example')))).toEqual([3, 3]);
    expect(grants(...clients(at('eu.exchange.example'), at('eu.exchange.example/')))).toEqual([2, 1]);
  });

  it('do not share when they are given a registry or a scheduler of their own', () => {
    expect(grants(...clients({ limits }, { limits }))).toEqual([3, 3]);
    const registry = new ClientRegistry();
    expect(grants(...clients({ registry, limits }, { registry, scheduler: createScheduler({ limits }) }))).toEqual([
      3, 3,
    ]);
  });

  it('share at a real address with any fetch, and at a reserved address with the same fetch only', () => {
    const registry = new ClientRegistry();
    const fetches = [0, 1].map(() => () => Promise.reject(new Error('not sent')));
    const withFetch = (address: string) => fetches.map((fetch) => ({ registry, limits, fetch, baseUrl: address }));
    expect(grants(...clients(...withFetch('https://203.0.113.7')))).toEqual([2, 1]);
    expect(grants(...clients(...withFetch('https://exchange.test')))).toEqual([3, 3]);
    const [same] = withFetch('https://other.test');
    expect(grants(...clients(same ?? {}, same ?? {}))).toEqual([2, 1]);
  });
});

describe('limits that differ from those of another client of the address', () => {
  it.each([
    ['are refused', { public: { limit: 9, windowMs: 60_000 } }, 'public', '9 requests / 60000', '3 requests / 60000'],
    [
      'are refused when the other has the default',
      { ...limits, 'oauth.refreshToken': { limit: 5, windowMs: 1000 } },
      'oauth.refreshToken',
      '5 requests / 1000',
      '1 requests / 1000',
    ],
    ['are refused when they are left out', {}, 'public', '2000 requests / 10000', '3 requests / 60000'],
  ])('%s', (_, other, name, own, others) => {
    const registry = new ClientRegistry();
    const first = createExchange({ baseUrl, registry, limits });
    const message =
      `${own} ms differs from another client's ${others} ms for ${baseUrl} in this process: ` +
      'give both clients one scheduler';
    expect(() => createExchange({ baseUrl, registry, limits: other })).toThrow(
      expect.objectContaining({ kind: 'request', issues: [{ field: `limits.${name}`, message }] }),
    );
    expect(() => createExchange({ baseUrl, registry, limits: other, scheduler: first.scheduler })).toThrow('limits');
    expect(() => createExchange({ baseUrl, registry, scheduler: createScheduler({ limits: other }) })).not.toThrow();
  });

  it('are accepted when they are the same limits in other words', () => {
    const registry = new ClientRegistry();
    const same = { public: { ...limits.public }, 'oauth.refreshToken': { limit: 1, windowMs: 1000 } };
    expect(grants(...clients({ registry, limits }, { registry, limits: same }))).toEqual([2, 1]);
  });
});

describe('the nonces of a key', () => {
  it('are remembered by address and key', () => {
    const registry = new ClientRegistry();
    const used = registry.usedNonces(undefined, baseUrl, 'key');
    used.push({ from: 1, last: 5 });
    expect(registry.usedNonces(undefined, baseUrl, 'key')).toBe(used);
    expect(registry.usedNonces(undefined, baseUrl, 'other')).toEqual([]);
    expect(registry.usedNonces(undefined, 'https://other.example', 'key')).toEqual([]);
  });
});
