// The messages of the dashboard, and the history for pages that open later.
import { createExchange } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFeed, type Feed } from '../../src/cli/dashboard/feed.js';
import type { History, Message } from '../../src/cli/dashboard/messages.js';
import { appendMessage } from '../../src/cli/dashboard/history.js';

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

  it('sends no private request without credentials', async () => {
    const { baseUrl, fetch } = sandbox.clientOptions();
    feed = createFeed(createExchange({ baseUrl, fetch }), { ...about, account: false });
    collect();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(new Set(sandbox.ledger.requests.map(({ path }) => path))).toEqual(new Set(['/api/v4/public/ping']));
  });
});
