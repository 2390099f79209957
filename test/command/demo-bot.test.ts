// The bot of `npm start` decides by the order book, and by nothing while the book may be outdated.
import { createExchange, type LiveOrderBook } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { Subject } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { trade, type BotState } from '../../src/cli/demo/bot.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

const update = (price: number, status: LiveOrderBook['status'] = 'live'): LiveOrderBook => ({
  ...{ market: 'BTC_USDT', status, since: 1, receivedAt: 1, updateId: 1, engineTime: 1, eventTime: 1 },
  asks: [[String(price + 1), '1']],
  bids: [[String(price - 1), '1']],
});

function start() {
  const sandbox = createSandbox({ volatility: 0 });
  const [book$, stop$] = [new Subject<LiveOrderBook>(), new Subject<void>()];
  const states: BotState[] = [];
  let isComplete = false;
  trade(createExchange(sandbox.clientOptions()), book$, stop$).subscribe({
    next: (state) => states.push(state),
    complete: () => {
      isComplete = true;
    },
  });
  const show = async (prices: readonly number[]) => {
    for (const price of prices) {
      book$.next(update(price));
      await vi.advanceTimersByTimeAsync(120);
    }
  };
  const orders = () => sandbox.ledger.orders.filter(({ collateral }) => !collateral);
  return { sandbox, book$, stop$, states, show, orders, isComplete: () => isComplete };
}

describe('the bot of the demo', () => {
  it('places no order before there is an order book', async () => {
    const { sandbox } = start();
    await vi.advanceTimersByTimeAsync(2000);
    expect(sandbox.ledger.orders).toEqual([]);
  });

  it('buys below the average of the recent prices, and sells above it', async () => {
    const { show, orders } = start();
    await show(Array.from({ length: 12 }, () => 60_000));
    const before = orders().length;
    await show([59_000, 58_000, 57_000]);
    expect(
      orders()
        .slice(before)
        .map(({ side }) => side),
    ).toEqual(['buy', 'buy', 'buy']);
    const falling = orders().length;
    await show([61_000, 62_000, 63_000]);
    const rising = orders().slice(falling);
    expect(rising.length).toBeGreaterThan(0);
    for (const { side } of rising) expect(side).toBe('sell');
  });

  it('places no order while the order book is stale, or has no bids', async () => {
    const { book$, show, orders } = start();
    await show([60_000]);
    const before = orders().length;
    book$.next(update(60_000, 'stale'));
    await vi.advanceTimersByTimeAsync(1000);
    book$.next({ ...update(60_000), asks: [['1', '1']], bids: [] });
    await vi.advanceTimersByTimeAsync(1000);
    expect(orders()).toHaveLength(before);
    await show([60_000]);
    expect(orders().length).toBeGreaterThan(before);
  });

  it('makes no decision while an order is in flight, and waits for it at the end', async () => {
    const { sandbox, stop$, states, show, orders, isComplete } = start();
    sandbox.fault({ kind: 'slow', path: '/api/v4/order/stock_market', delayMs: 1500 });
    await show([60_000, 60_000, 60_000]);
    expect(sandbox.ledger.requests.filter(({ path }) => path.includes('/order/'))).toHaveLength(1);
    stop$.next();
    expect(isComplete()).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect([isComplete(), orders().length, states.at(-1)?.trades.length]).toEqual([true, 1, 1]);
  });
});
