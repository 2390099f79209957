// Unsubscribing is cancelling: of everything that can be watched nothing is left, with real sockets and real timers.
import {
  createExchange,
  createScheduler,
  poll,
  rateLimits,
  throttleToLimit,
  pauseWhileDown,
  watchBalance,
  watchHealth,
  type Exchange,
  type Health,
} from 'exchange-rx';
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { concat, from, ignoreElements, Subject, type Observable } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';

let sandbox: Sandbox;
let server: SandboxServer;
let exchange: Exchange;
let before: Counts;

interface Counts {
  readonly timers: number;
  readonly sockets: number;
}

/** What keeps the event loop busy. */
function counts(): Counts {
  const kinds = process.getActiveResourcesInfo();
  return {
    timers: kinds.filter((kind) => kind === 'Timeout').length,
    sockets: kinds.filter((kind) => kind.startsWith('TCPSocket')).length,
  };
}

beforeEach(async () => {
  sandbox = createSandbox();
  server = await sandbox.listen();
  before = counts();
  exchange = createExchange(server.clientOptions());
});

const refresh$ = new Subject<void>();
const health$ = new Subject<Health>();

const settings = { everyMs: 10, refreshOn: refresh$ };

const watched: Record<string, () => Observable<unknown>> = {
  'an endpoint': () => exchange.account.mainBalance(),
  'an order': () => exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }),
  watchBalance: () => watchBalance(exchange, settings),
  'watchBalance of all wallets': () => watchBalance(exchange, { wallet: 'all', ...settings }),
  'a live watchBalance': () => watchBalance(exchange, { wallet: 'spot', ...settings, live: true }),
  'a live watchBalance of all wallets': () => watchBalance(exchange, { wallet: 'all', ...settings, live: true }),
  watchHealth: () => watchHealth(exchange, { everyMs: 20 }),
  poll: () => exchange.public.ping().pipe(poll({ everyMs: 20, refreshOn: refresh$ })),
  throttleToLimit: () => {
    // The only permit is out for longer than the test: the values wait for it.
    const scheduler = createScheduler({ limits: { public: { limit: 1, windowMs: 60_000 } } });
    const busy$ = scheduler.acquire(rateLimits.public, { endpoint: 'busy' }).pipe(ignoreElements());
    return concat(busy$, from([1, 2, 3]).pipe(throttleToLimit(scheduler, rateLimits.public)));
  },
  pauseWhileDown: () => exchange.public.ping().pipe(pauseWhileDown(health$)),
  usage$: () => exchange.scheduler.usage$,
  'every page': () => exchange.subAccounts.listAll(),
};

describe.each(Object.entries(watched))('%s', (_, watch) => {
  it.each([
    ['while a request is on its way', 'hang'],
    ['while it waits to try again', 'status'],
    ['between two values', undefined],
  ] as const)('leaves nothing when it is unsubscribed %s', async (_moment, kind) => {
    if (kind !== undefined) sandbox.randomFaults({ seed: 1, rate: 1, kinds: [kind] });
    const subscription = watch().subscribe({ error: () => undefined });
    await sleep(60);
    subscription.unsubscribe();
    await expect.poll(() => counts().timers, { interval: 5 }).toBeLessThanOrEqual(before.timers);
    expect([refresh$.observed, health$.observed]).toEqual([false, false]);
    // A connection whose request got a response is kept as long as the server keeps it; other connections are
    // closed at once.
    if (kind !== 'hang') await server.close();
    await expect.poll(() => counts().sockets, { interval: 5 }).toBe(0);
    if (kind === 'hang') await server.close();
  });
});
