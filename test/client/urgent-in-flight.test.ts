// Room in flight of their own for urgent requests, and what a request that expired has waited for.
import {
  ClientRegistry,
  createExchange,
  watchHealth,
  type Exchange,
  type ExchangeOptions,
  type Fetch,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, takeUntil, timer } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers, within } from '../support/fake-timers.js';
import { failureOf } from '../support/failure.js';

useFakeTimers();

const quote = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '100', postOnly: true } as const;

/** The endpoints of the requests that a client sends from now on. */
function sentBy({ events$ }: Exchange): string[] {
  const sent: string[] = [];
  events$.subscribe((event) => {
    if (event.type === 'request') sent.push(event.endpoint);
  });
  return sent;
}

function cancel({ orders }: Exchange, onError: () => void = () => undefined): void {
  orders.cancel({ market: 'BTC_USDT', order_id: 1 }).subscribe({ error: onError });
}

/** A client whose quotes hang; the endpoints of the requests that were sent. */
function setup(
  options: Partial<ExchangeOptions> = {},
  hangs: (path: string) => boolean = (path) => path.endsWith('/collateral/limit'),
) {
  const sandbox = createSandbox();
  const fetch: Fetch = (url, init) => {
    const { pathname } = new URL(url);
    if (!hangs(pathname)) return sandbox.fetch(url, init);
    return new Promise((_, reject) => {
      init.signal.addEventListener('abort', () => {
        reject(new DOMException('aborted', 'AbortError'));
      });
    });
  };
  const exchange = createExchange({ ...sandbox.clientOptions(), retry: false, ...options, fetch });
  const quotes = (count: number) => {
    for (let one = 0; one < count; one += 1)
      exchange.collateral.placeLimitOrder(quote).subscribe({ error: () => undefined });
  };
  return { exchange, sent: sentBy(exchange), quotes };
}

describe('while more quotes hang than may be in flight', () => {
  it('a cancel and a kill switch are sent in the tick in which they are subscribed', async () => {
    const { exchange, sent, quotes } = setup();
    quotes(300);
    await vi.advanceTimersByTimeAsync(50);
    expect(sent).toHaveLength(256);
    cancel(exchange);
    exchange.orders.setKillSwitch({ market: 'BTC_USDT', timeout: 5 }).subscribe({ error: () => undefined });
    expect(sent.slice(256)).toEqual(['orders.cancel', 'orders.setKillSwitch']);
  });

  it('the default of urgentInFlight is an eighth of maxInFlight, and eight at least', () => {
    for (const [maxInFlight, urgent] of [
      [1, 8],
      [64, 8],
      [80, 10],
    ] as const) {
      const { exchange, sent, quotes } = setup({ maxInFlight }, () => true);
      quotes(100);
      for (let one = 0; one < 50; one += 1) cancel(exchange);
      expect(sent).toHaveLength(maxInFlight + urgent);
    }
  });

  it('watchHealth judges the exchange by its pings, as soon as without the quotes', async () => {
    const { exchange, sent, quotes } = setup({ maxInFlight: 20 }, () => true);
    quotes(40);
    const seen = await within(6250, watchHealth(exchange, { everyMs: 100, slowMs: 400 }).pipe(takeUntil(timer(6250))));
    expect(seen.at(-1)).toMatchObject({ state: 'down', reason: 'unreachable' });
    expect(sent.filter((endpoint) => endpoint === 'public.ping')).toHaveLength(3);
  });
});

describe('while more quotes hang than may be in flight, and their lookups, too', () => {
  it('each cancel is sent in the tick in which it is subscribed', async () => {
    const { exchange, sent, quotes } = setup({ maxInFlight: 16, timeoutMs: 2000 }, (path) => !path.endsWith('/cancel'));
    for (let tick = 1; tick <= 16; tick += 1) {
      quotes(10);
      await vi.advanceTimersByTimeAsync(250);
      cancel(exchange);
      expect(sent.filter((endpoint) => endpoint === 'orders.cancel')).toHaveLength(tick);
    }
    expect(sent.filter((endpoint) => endpoint === 'orders.open').length).toBeGreaterThan(4);
  });

  it('urgent reads have half of urgentInFlight at most', async () => {
    const { exchange, sent, quotes } = setup({ maxInFlight: 3, urgentInFlight: 5 }, () => true);
    quotes(3);
    for (let one = 0; one < 9; one += 1)
      exchange.orders.open({ market: 'BTC_USDT' }, { priority: 'urgent' }).subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toHaveLength(5);
    for (let one = 0; one < 9; one += 1) cancel(exchange);
    expect(sent.slice(5)).toEqual(['orders.cancel', 'orders.cancel', 'orders.cancel']);
  });
});

describe('with one request in flight, while the orders of a lost response are looked up', () => {
  /** 20 orders by one request, whose response is lost; a response takes 100 ms. */
  async function lostBulk() {
    const sandbox = createSandbox({ volatility: 0 });
    const fetch: Fetch = async (url, init) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return sandbox.fetch(url, init);
    };
    const exchange = createExchange({ ...sandbox.clientOptions(), maxInFlight: 1, urgentInFlight: 0, fetch });
    sandbox.fault({ kind: 'reset', path: '/api/v4/order/collateral/bulk', executed: true });
    const placed = vi.fn();
    exchange.collateral
      .placeLimitOrders({ orders: Array.from({ length: 20 }, () => ({ ...quote, price: '10000' })) })
      .subscribe(placed);
    await vi.advanceTimersByTimeAsync(350);
    return { exchange, sent: sentBy(exchange), placed };
  }

  it('a cancel is the next request that is sent', async () => {
    const { exchange, sent } = await lostBulk();
    cancel(exchange);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual(['orders.cancel']);
  });

  it('cancels without end leave 1 request in 4 to the lookups, so that every order is settled', async () => {
    const { exchange, sent, placed } = await lostBulk();
    const cancelAgain = () => {
      cancel(exchange, cancelAgain);
    };
    for (let loop = 0; loop < 5; loop += 1) cancelAgain();
    await vi.advanceTimersByTimeAsync(1000);
    const three = ['orders.cancel', 'orders.cancel', 'orders.cancel'];
    expect(sent.slice(0, 8)).toEqual([...three, 'orders.open', ...three, 'orders.open']);
    while (placed.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(1000);
    expect(placed.mock.calls.flat(2)).toMatchObject(Array.from({ length: 20 }, () => ({ outcome: 'placed' })));
  });
});

describe('watchHealth', () => {
  it('says that the exchange is down through an outage while the limit is used up', async () => {
    const sandbox = createSandbox();
    const limits = { public: { limit: 200, windowMs: 10_000 } };
    const exchange = createExchange({ ...sandbox.clientOptions(), limits, retry: false });
    sandbox.fault({ kind: 'status', times: 10_000 });
    for (let read = 0; read < 300; read += 1) exchange.public.serverTime().subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(1000);
    expect(sandbox.ledger.requests).toHaveLength(196);
    const seen = await within(300, watchHealth(exchange, { everyMs: 100 }).pipe(takeUntil(timer(300))));
    expect(seen.at(-1)).toMatchObject({ state: 'down', reason: 'unavailable' });
  });
});

const withoutNonces = new ClientRegistry();
vi.spyOn(withoutNonces, 'usedNonces').mockReturnValue([{ from: 0, last: 2 ** 50 }]);

it('a public request waits for no nonce', async () => {
  const { exchange } = setup({ registry: withoutNonces });
  expect(await within(60, exchange.public.ping({ validForMs: 50 }))).toEqual([['pong']]);
});

describe('a request that expires', () => {
  it.each<[string, string, Partial<ExchangeOptions>, number, string]>([
    ['room', 'in-flight', { maxInFlight: 2 }, 2, 'maxInFlight requests are in flight'],
    ['a nonce, when those of the next seconds are used', 'nonce', { registry: withoutNonces }, 0, 'no nonce was free'],
    [
      'the limit, when no permit is free',
      'limit',
      { limits: { mainAccount: { limit: 1, windowMs: 1000 } } },
      0,
      'no permit of rate limit "mainAccount" was free',
    ],
  ])('has waited for %s', async (_, waitedFor, options, quoted, reason) => {
    const { exchange, quotes } = setup(options);
    if (options.limits !== undefined) await firstValueFrom(exchange.account.mainBalance());
    quotes(quoted);
    const failure = failureOf(exchange.account.mainBalance({ validForMs: 50 }));
    await vi.advanceTimersByTimeAsync(60);
    expect(await failure).toMatchObject({
      kind: 'queue-timeout',
      waitedFor,
      message: `account.mainBalance: not sent within 50 ms: ${reason}`,
    });
  });
});
