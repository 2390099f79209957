// exchange.live.trades: each trade once, in order, and a gap item wherever some may be missing.
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds } from './setup.js';
import { listed, market, now, push, trade, watched, write } from './watched-trades.js';

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

  it('says that a trade was unreadable, and emits the others', async () => {
    const { server, seen } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(103), { id: 102, price: 'x' }, trade(101)]);
    await seconds(1);
    expect(seen).toEqual(['unreadable not filled', 101, 103]);
    server.last.push('trades_update', [market, 'none']);
    await seconds(1);
    expect(seen.slice(3)).toEqual(['unreadable not filled']);
  });

  it('says that a trade of the history was unreadable', async () => {
    const { server, seen } = watched(true);
    await seconds(1);
    push(server, [trade(3), { id: 2, price: 'x' }, trade(1)]);
    await seconds(1);
    expect(seen).toEqual(['unreadable not filled', 1, 3]);
  });

  it('starts with the first trade of a market that had none', async () => {
    const { server, seen } = watched();
    await seconds(1);
    push(server, [now(1)]);
    push(server, [now(2)]);
    await seconds(1);
    expect(seen).toEqual([1, 2]);
  });

  it('starts with the first trade of a market whose replay is empty', async () => {
    const { server, seen } = watched();
    await seconds(1);
    push(server, []);
    push(server, [trade(1)]);
    await seconds(1);
    expect(seen).toEqual([1]);
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

  it('emits no trades of a replay that are older than a known one', async () => {
    const { server, seen } = watched();
    await seconds(1);
    push(server, [now(101)]);
    push(server, listed(3, 102));
    await seconds(1);
    expect(seen).toEqual([101, 102]);
  });

  it('emits the first live trade after a replay that precedes the confirmation', async () => {
    const { server, seen } = watched();
    server.react = (request) => {
      push(server, listed(1, 100));
      server.confirm(request);
    };
    await seconds(0.5);
    push(server, [trade(101)]);
    await seconds(0);
    expect(seen).toEqual([101]);
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

  it('reports a gap where a replay during the subscription does not reach the last trade', async () => {
    const { server, seen, items } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, listed(201, 300));
    await seconds(1);
    expect(seen.slice(0, 2)).toEqual(['overflow not filled', 201]);
    expect(items[0]).toMatchObject({ from: 1100, to: 1201 });
  });

  it('reports unreadable trades up to now, because they may be the newest', async () => {
    const { server, items } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [{ id: 103, price: 'x' }, trade(102)]);
    await seconds(0);
    expect(items[0]).toMatchObject({ reason: 'unreadable', from: 1100, to: Date.now() / 1000 });
  });
});
