// exchange.live.trades: what known-trades.ts decides, on a connection, over REST, and for late subscribers.
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

/** @param overRest the trades that the exchange lists over REST, newest first; `undefined`: it fails */
function watched(history = false, overRest?: () => readonly ReturnType<typeof trade>[] | 'never') {
  const requested: string[] = [];
  const fetch = (input: string | URL | Request) => {
    const url = input instanceof Request ? input.url : input.toString();
    if (url.endsWith('/public/markets')) return Promise.resolve(new Response('', { status: 404 }));
    requested.push(url);
    const trades = overRest?.();
    if (trades === 'never') return new Promise<Response>(() => undefined);
    const body = trades?.map(({ id, time, price, amount, type }) => {
      return { tradeID: id, price, quote_volume: amount, base_volume: '100', trade_timestamp: time, type };
    });
    return Promise.resolve(body === undefined ? new Response('', { status: 500 }) : Response.json(body));
  };
  const all = setup({}, { fetch });
  const seen: (number | string)[] = [];
  const items: LiveTradeItem[] = [];
  const subscription = all.exchange.live.trades({ markets: [market], history }).subscribe((item) => {
    items.push(item);
    seen.push(write(item));
  });
  return { ...all, seen, items, requested, subscription };
}

/** Subscribed, with 1 to 101 known, and then cut. */
async function cut(overRest?: Parameters<typeof watched>[1]) {
  const all = watched(false, overRest);
  await seconds(1);
  push(all.server, listed(1, 100));
  push(all.server, [trade(101)]);
  await seconds(1);
  all.server.last.end();
  return all;
}

describe('exchange.live.trades', () => {
  onFakeTime();

  it('emits those before it on request', async () => {
    const { server, seen } = watched(true);
    await seconds(1);
    push(server, listed(98, 100));
    push(server, [trade(101)]);
    await seconds(1);
    expect(seen).toEqual([98, 99, 100, 101]);
  });

  it('shows a late subscriber the last 100 trades on request, and else the next one only', async () => {
    const { server, exchange } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(101)]);
    await seconds(1);
    const withHistory: unknown[] = [];
    const without: unknown[] = [];
    exchange.live.trades({ markets: [market], history: true }).subscribe((item) => withHistory.push(write(item)));
    exchange.live.trades({ markets: [market] }).subscribe((item) => without.push(write(item)));
    push(server, [trade(102)]);
    await seconds(1);
    expect(withHistory).toEqual(
      listed(2, 102)
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(without).toEqual([102]);
  });

  it('shows a late subscriber no trades from before others that are missing', async () => {
    const { server, exchange } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(101)]);
    push(server, [trade(104), { id: 103, price: 'x' }, trade(102)]);
    await seconds(1);
    const late: unknown[] = [];
    exchange.live.trades({ markets: [market], history: true }).subscribe((item) => late.push(write(item)));
    push(server, [trade(105)]);
    await seconds(1);
    expect(late).toEqual([105]);
    server.last.end();
    await seconds(1);
    push(server, listed(300, 399));
    await seconds(1);
    late.length = 0;
    exchange.live.trades({ markets: [market], history: true }).subscribe((item) => late.push(write(item)));
    expect(late[0]).toBe(300);
  });

  it('reads what it missed over REST when the exchange replays nothing', async () => {
    const { server, seen, items, requested } = await cut(() => listed(7, 106));
    await seconds(1);
    push(server, [trade(106)]);
    await seconds(5);
    expect(requested).toHaveLength(1);
    expect(seen).toEqual([101, 'reconnect filled', 102, 103, 104, 105, 106]);
    expect(items[1]).toMatchObject({ kind: 'gap', channel: 'trades', market, from: 1101 });
    push(server, [trade(107)]);
    await seconds(1);
    expect(seen.at(-1)).toBe(107);
  });

  it('joins a replay that comes while REST is read, or after it', async () => {
    const { server, seen } = await cut(() => 'never');
    await seconds(4);
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
