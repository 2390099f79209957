// What clients of one process share by default.
import {
  ClientRegistry,
  createExchange,
  createScheduler,
  rateLimits,
  type ExchangeOptions,
  type Scheduler,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
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
  it('with one address share its limits: 90 requests of two clients meet no 429', async () => {
    const own = { public: { limit: 60, windowMs: 400 } };
    const sandbox = createSandbox({ limits: own });
    const server = await sandbox.listen();
    const both = [
      createExchange({ ...server.clientOptions(), limits: own, retry: false }),
      createExchange({ ...server.clientOptions(), retry: false }),
    ];
    await Promise.all(
      both.flatMap((exchange) => Array.from({ length: 45 }, () => firstValueFrom(exchange.public.ping()))),
    );
    expect(sandbox.ledger.requests.filter(({ status }) => status !== 200)).toEqual([]);
    expect(sandbox.ledger.requests).toHaveLength(90);
    await server.close();
  });

  it('with one address and key share its nonces, also when each has a fetch of its own: of 100 requests none is refused', async () => {
    const sandbox = createSandbox();
    const { credentials } = sandbox.clientOptions();
    const shared = {
      baseUrl: 'https://203.0.113.7',
      registry: new ClientRegistry(),
      credentials,
      retry: false,
    } as const;
    const both = [0, 1].map(() => createExchange({ ...shared, fetch: (url, init) => sandbox.fetch(url, init) }));
    await Promise.all(
      both.flatMap((exchange) => Array.from({ length: 50 }, () => firstValueFrom(exchange.account.mainBalance()))),
    );
    expect(sandbox.ledger.requests.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
  });

  it('share by address: together they get the permits of one client', () => {
    const registry = new ClientRegistry();
    expect(grants(...clients({ registry, limits }, { registry }))).toEqual([2, 1]);
    expect(
      grants(
        ...clients(
          { registry, limits, baseUrl: 'https://exchange-one.example' },
          { registry, limits, baseUrl: 'https://exchange-two.example' },
        ),
      ),
    ).toEqual([3, 3]);
    expect(
      grants(
        ...clients(
          { registry, baseUrl: 'https://eu.exchange.example', limits },
          { registry, baseUrl: 'https://eu.exchange.example/' },
        ),
      ),
    ).toEqual([2, 1]);
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
    [
      'are refused, with both',
      { public: { limit: 9, windowMs: 60_000 } },
      'limits.public',
      '9 requests / 60000 ms',
      '3 requests / 60000 ms',
    ],
    [
      'are refused when the other has the default',
      { ...limits, 'oauth.refreshToken': { limit: 5, windowMs: 1000 } },
      'limits.oauth.refreshToken',
      '5 requests / 1000 ms',
      '1 requests / 1000 ms',
    ],
    [
      'are refused when they leave out what the other has',
      {},
      'limits.public',
      '2000 requests / 10000 ms',
      '3 requests / 60000 ms',
    ],
  ])('%s', (_, other, field, own, others) => {
    const registry = new ClientRegistry();
    const first = createExchange({ baseUrl, registry, limits });
    const message =
      `${own} differs from another client's ${others} for ${baseUrl} in this process: ` +
      'give both clients one scheduler';
    expect(() => createExchange({ baseUrl, registry, limits: other })).toThrow(
      expect.objectContaining({ kind: 'request', issues: [{ field, message }] }),
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
