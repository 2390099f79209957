// exchange.live.trades: what known-trades.ts decides, on a connection, over REST, and for late subscribers.
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds } from './setup.js';
import { listed, market, now, push, trade, watched, write } from './watched-trades.js';

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

  it('emits every trade after the subscription, oldest first', async () => {
    const { server, items, seen } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(101)]);
    push(server, listed(102, 104));
    await seconds(1);
    expect(seen).toEqual([101, 102, 103, 104]);
    expect(items[0]).toEqual({ kind: 'trade', market, trade: trade(101) });
  });

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

  it('emits no trade twice when another market is added, and the exchange replays all', async () => {
    const { server, exchange, seen } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(101)]);
    exchange.live.trades({ markets: ['ETH_USDT'] }).subscribe();
    await seconds(1);
    push(server, listed(3, 102));
    await seconds(1);
    expect(seen).toEqual([101, 102]);
  });

  it('emits no replay as live trades, however late it comes', async () => {
    // The second replay: a clock of this machine that is wrong must not matter.
    const young = listed(1, 100).map(({ id }) => ({ ...trade(id), time: Date.now() / 1000 + 60 }));
    for (const replay of [listed(1, 100), young, listed(1, 30)]) {
      const { server, seen } = watched();
      await seconds(8);
      push(server, replay);
      push(server, [now(101)]);
      await seconds(1);
      expect(seen).toEqual([101]);
    }
  });

  it('is right for a push that comes before the confirmation', async () => {
    const { server, seen } = watched();
    server.react = (request) => {
      push(server, listed(1, 100));
      server.confirm(request);
    };
    await seconds(5);
    push(server, [trade(101)]);
    await seconds(1);
    server.last.end();
    server.react = (request) => {
      push(server, listed(5, 104));
      server.confirm(request);
    };
    await seconds(5);
    push(server, [trade(105)]);
    await seconds(1);
    expect(seen).toEqual([101, 'reconnect filled', 102, 103, 104, 105]);
  });

  it('emits what it missed during an outage, after a gap that says so', async () => {
    const { server, seen, items, requested } = await cut();
    await seconds(1);
    push(server, listed(10, 109));
    push(server, [trade(110)]);
    await seconds(5);
    expect(seen).toEqual([101, 'reconnect filled', 102, 103, 104, 105, 106, 107, 108, 109, 110]);
    expect(items[1]).toMatchObject({ kind: 'gap', channel: 'trades', market, from: 1101 });
    expect(requested).toEqual([]);
  });

  it('reads what it missed over REST when the exchange replays nothing', async () => {
    const { server, seen, requested } = await cut(() => listed(7, 106));
    await seconds(1);
    push(server, [trade(106)]);
    await seconds(5);
    expect(requested).toHaveLength(1);
    expect(seen).toEqual([101, 'reconnect filled', 102, 103, 104, 105, 106]);
    push(server, [trade(107)]);
    await seconds(1);
    expect(seen.at(-1)).toBe(107);
  });

  it('says that trades may be missing when REST fails, too, and goes on', async () => {
    const { server, seen } = await cut();
    await seconds(1);
    push(server, [trade(106)]);
    await seconds(40);
    expect(seen).toEqual([101, 'reconnect not filled', 106]);
  });

  it('reports a gap for each connection that was lost, even if the exchange confirmed nothing in between', async () => {
    const { server, seen } = await cut();
    server.react = () => {
      push(server, listed(3, 102));
    };
    await seconds(1);
    server.react = (request) => {
      server.confirm(request);
      push(server, listed(301, 400));
    };
    server.last.end();
    await seconds(5);
    expect(seen.slice(0, 5)).toEqual([101, 'reconnect filled', 102, 'reconnect not filled', 301]);
  });

  it('shows a late subscriber no trades among which one was unreadable', async () => {
    const { server, exchange, seen } = await cut(() => 'never');
    await seconds(1);
    push(server, [trade(104), { ...trade(103), price: 'x' }, trade(102), trade(101)]);
    await seconds(1);
    expect(seen).toEqual([101, 'reconnect not filled', 102, 104]);
    const late: unknown[] = [];
    exchange.live.trades({ markets: [market], history: true }).subscribe((item) => late.push(write(item)));
    expect(late).toEqual([]);
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
