// exchange.live.trades: what known-trades.ts decides, on a connection.
import type { LiveTradeItem } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import type { LiveExchange } from '../support/live-exchange.js';
import { onFakeTime, seconds, setup } from './setup.js';

const market = 'BTC_USDT';
const trade = (id: number) => ({ id, time: 1000 + id, price: '100', amount: '1', type: 'buy' });

/** Trades from one number to another, newest first, as the exchange lists them. */
function listed(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => trade(to - index));
}

function push(server: LiveExchange, trades: readonly unknown[]): void {
  server.last.push('trades_update', [market, trades]);
}

const write = (item: LiveTradeItem) =>
  item.kind === 'trade' ? item.trade.id : `${item.reason} ${item.filled ? 'filled' : 'not filled'}`;

function watched() {
  const all = setup();
  const seen: (number | string)[] = [];
  const items: LiveTradeItem[] = [];
  all.exchange.live.trades({ markets: [market] }).subscribe((item) => {
    items.push(item);
    seen.push(write(item));
  });
  return { ...all, seen, items };
}

/** Subscribed, with 1 to 101 known, and then cut. */
async function cut() {
  const all = watched();
  await seconds(1);
  push(all.server, listed(1, 100));
  push(all.server, [trade(101)]);
  await seconds(1);
  all.server.last.end();
  return all;
}

describe('exchange.live.trades', () => {
  onFakeTime();

  it('shows a late subscriber the next trade', async () => {
    const { server, exchange } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(101)]);
    const late: unknown[] = [];
    exchange.live.trades({ markets: [market] }).subscribe((item) => late.push(write(item)));
    push(server, [trade(102)]);
    await seconds(1);
    expect(late).toEqual([102]);
  });

  it('says that trades may be missing when the exchange replays none, and goes on', async () => {
    const { server, seen, items } = await cut();
    await seconds(1);
    push(server, [trade(106)]);
    await seconds(5);
    expect(seen).toEqual([101, 'reconnect not filled', 106]);
    expect(items[1]).toMatchObject({ kind: 'gap', channel: 'trades', market, from: 1101 });
    push(server, [trade(107)]);
    await seconds(1);
    expect(seen.at(-1)).toBe(107);
  });

  it('joins a late replay, and one that comes too late', async () => {
    const { server, seen } = await cut();
    await seconds(1.5);
    push(server, listed(4, 103));
    await seconds(40);
    expect(seen).toEqual([101, 'reconnect filled', 102, 103]);
    server.last.end();
    await seconds(40);
    push(server, listed(6, 105));
    push(server, [trade(106)]);
    await seconds(1);
    expect(seen.slice(4)).toEqual(['reconnect not filled', 104, 105, 106]);
  });
});
