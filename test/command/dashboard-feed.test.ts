// The messages of the dashboard, and the history for pages that open later.
import { ClientRegistry, createExchange, createScheduler } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFeed, type Feed } from '../../src/cli/dashboard/feed.js';
import type { History, Message } from '../../src/cli/dashboard/messages.js';
import { appendMessage } from '../../src/cli/dashboard/history.js';
import { failureOf } from '../support/failure.js';

const about = { baseUrl: 'https://exchange.example', sandbox: true, account: true };
const empty: History = { about, health: [], balances: [], usage: [], orders: [], problems: [] };

describe('the history', () => {
  it('keeps the newest 600 points and 50 errors', () => {
    let history = empty;
    for (let at = 0; at < 5000; at += 1) {
      history = appendMessage(history, {
        type: 'balance',
        balance: { at, assets: [], notShown: 0, notRead: 0, stale: false },
      });
      history = appendMessage(history, { type: 'problem', problem: { at, endpoint: 'public.ping', text: 'timeout' } });
    }
    expect([history.balances.length, history.balances.at(-1)?.at, history.balances[0]?.at]).toEqual([600, 4999, 4400]);
    expect([history.problems.length, history.problems.at(-1)?.at]).toEqual([50, 4999]);
  });

  it('is replaced by a history message', () => {
    const received = { ...empty, problems: [{ at: 1, endpoint: 'public.ping', text: 'timeout' }] };
    expect(appendMessage(empty, { type: 'history', history: received })).toBe(received);
  });
});

describe('the feed', () => {
  let sandbox: Sandbox;
  let feed: Feed;

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    sandbox = createSandbox();
    feed = createFeed(createExchange(sandbox.clientOptions()), about);
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  function collect(): Message[] {
    const messages: Message[] = [];
    feed.messages$.subscribe((message) => messages.push(message));
    return messages;
  }

  it('sends a late page the history and then live messages, and polls the exchange once for all pages', async () => {
    const early = collect();
    await vi.advanceTimersByTimeAsync(10_000);
    const before = early.length;
    const late = collect();
    const { length } = sandbox.ledger.requests;
    await vi.advanceTimersByTimeAsync(1000);
    expect(late.slice(1)).toEqual(early.slice(before));
    expect(late[0]).toMatchObject({
      type: 'history',
      history: {
        about,
        balances: Array.from({ length: 4 }, () => ({
          assets: expect.arrayContaining([{ asset: 'BTC', amount: '2.5', change: '', stale: false }]) as unknown,
        })),
        problems: [],
      },
    });
    expect(late.slice(1).map(({ type }) => type)).toContain('health');
    expect(sandbox.ledger.requests.length - length).toBeLessThanOrEqual(4);
  });

  it('reports failed polls of orders, balances and pings, and goes on', async () => {
    const messages = collect();
    await vi.advanceTimersByTimeAsync(1000);
    sandbox.randomFaults({ seed: 1, rate: 1, kinds: ['status'] });
    await vi.advanceTimersByTimeAsync(10_000);
    sandbox.randomFaults(undefined);
    const failedFor = new Set(
      messages.flatMap((message) => (message.type === 'problem' ? [message.problem.endpoint] : [])),
    );
    expect(failedFor).toEqual(new Set(['public.ping', 'account.mainBalance', 'orders.open']));
    expect(messages.some((message) => message.type === 'health' && message.health.state === 'down')).toBe(true);
    const before = messages.length;
    await vi.advanceTimersByTimeAsync(40_000);
    const since = messages.slice(before);
    expect(since.filter(({ type }) => type === 'orders').length).toBeGreaterThan(5);
    expect(since.findLast((message) => message.type === 'health')).toMatchObject({ health: { state: 'up' } });
    expect(since).toContainEqual(
      expect.objectContaining({ type: 'balance', balance: expect.objectContaining({ stale: false }) as unknown }),
    );
  });

  it('reports an order whose response was lost, and a request that was not sent in time', async () => {
    const limits = { public: { limit: 2, windowMs: 10_000 } };
    const exchange = createExchange({ ...sandbox.clientOptions(), limits, registry: new ClientRegistry() });
    feed = createFeed(exchange, about);
    const messages = collect();
    await vi.advanceTimersByTimeAsync(1000);
    sandbox.fault({ kind: 'reset', path: '/api/v4/order/stock_market', executed: true, times: 1 });
    const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01', client_order_id: 'lost' } as const;
    const [placed] = await Promise.all([
      firstValueFrom(exchange.spot.placeStockMarketOrder(order)),
      ...Array.from({ length: 3 }, () => failureOf(exchange.public.ping({ validForMs: 100, retry: false }))),
      vi.advanceTimersByTimeAsync(30_000),
    ]);
    expect(placed).toMatchObject({ client_order_id: 'lost' });
    const problems = messages.flatMap((message) =>
      message.type === 'problem' ? [`${message.problem.endpoint}: ${message.problem.text}`] : [],
    );
    expect(problems).toContain('spot.placeStockMarketOrder: found: order lost');
    expect(problems).toContain('public.ping: queue-timeout: not sent');
  });

  it('reports that Redis cannot be reached', async () => {
    vi.useRealTimers();
    const scheduler = createScheduler({ redis: shareOverRedis({ url: 'redis://127.0.0.1:1' }) });
    feed = createFeed(createExchange({ ...sandbox.clientOptions(), scheduler }), { ...about, account: false });
    const messages = collect();
    await vi.waitFor(() => {
      expect(messages).toContainEqual({
        type: 'problem',
        problem: {
          at: expect.any(Number) as number,
          endpoint: 'shared limits',
          text: expect.stringMatching(/^(waiting|lost): /) as string,
        },
      });
    }, 10_000);
  });

  it('has the best prices of the live order book of a market, and the state of the connection', async () => {
    const client = createExchange(sandbox.clientOptions());
    feed = createFeed(client, { ...about, account: false }, 'BTC_USDT');
    const books = () => collected.flatMap((message) => (message.type === 'book' ? [message.book] : []));
    const collected = collect();
    await vi.advanceTimersByTimeAsync(0);
    expect(books()[0]).toEqual({
      ...{ market: 'BTC_USDT', status: 'waiting', bid: null, ask: null, connection: 'not connected' },
    });
    expect(books().at(-1)).toEqual({
      ...{ market: 'BTC_USDT', status: 'live', bid: '59985', ask: '60015', connection: 'connected' },
    });
    sandbox.liveFault({ kind: 'cut' });
    await vi.advanceTimersByTimeAsync(0);
    expect(books().at(-1)).toMatchObject({ status: 'stale', connection: expect.stringContaining('lost') as string });
    await vi.advanceTimersByTimeAsync(5000);
    expect(books().at(-1)).toMatchObject({ status: 'live', connection: 'connected' });
  });

  it('goes on without the order book of a market that the exchange refuses', async () => {
    feed = createFeed(createExchange(sandbox.clientOptions()), { ...about, account: false }, 'BTC_MARS');
    const messages = collect();
    await vi.advanceTimersByTimeAsync(5000);
    expect(messages.findLast(({ type }) => type === 'book')).toMatchObject({
      book: { status: 'refused', bid: null, connection: expect.stringContaining('lists no such market') as string },
    });
    expect(messages.at(-1)).toMatchObject({ type: expect.stringMatching(/health|usage/) as string });
  });

  it('sends no private request without credentials', async () => {
    const { baseUrl, fetch } = sandbox.clientOptions();
    feed = createFeed(createExchange({ baseUrl, fetch }), { ...about, account: false });
    collect();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(new Set(sandbox.ledger.requests.map(({ path }) => path))).toEqual(new Set(['/api/v4/public/ping']));
  });
});
