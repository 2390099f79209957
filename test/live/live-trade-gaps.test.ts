// What exchange.live.trades emits after an interruption: what was missed, and a gap that says whether anything still is.
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

describe('exchange.live.trades after an interruption', () => {
  onFakeTime();

  it('emits the trades of an outage, after a gap', async () => {
    const { server, seen, items, requested } = await cut();
    await seconds(1);
    push(server, listed(10, 109));
    push(server, [trade(110)]);
    await seconds(5);
    expect(seen).toEqual([101, 'reconnect filled', 102, 103, 104, 105, 106, 107, 108, 109, 110]);
    expect(items[1]).toMatchObject({ kind: 'gap', channel: 'trades', market, from: 1101 });
    expect(requested).toEqual([]);
  });

  it('says that trades are missing when more came than the exchange replays', async () => {
    const { server, seen } = await cut();
    await seconds(1);
    push(server, listed(300, 399));
    await seconds(1);
    expect(seen.slice(0, 3)).toEqual([101, 'reconnect not filled', 300]);
    expect(seen).toHaveLength(102);
  });

  it('says once that a trade is missing that a replay lists among the emitted ones', async () => {
    const { server, exchange, seen, items } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(101)]);
    push(server, [trade(104)]);
    await seconds(1);
    for (const other of ['A_USDT', 'B_USDT']) {
      exchange.live.trades({ markets: [other] }).subscribe();
      await seconds(1);
      push(server, listed(6, 105));
      await seconds(1);
    }
    expect(seen).toEqual([101, 104, 'late not filled', 105]);
    expect(items[2]).toMatchObject({ from: 1102, to: 1104 });
  });

  it('says so, too, when the missing trade is the oldest of the replay', async () => {
    const { server, seen } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(102)]);
    push(server, listed(103, 200));
    await seconds(1);
    push(server, listed(101, 200));
    await seconds(1);
    expect(seen.filter((item) => typeof item === 'string')).toEqual(['late not filled']);
  });

  it('says so, too, when the interruption itself is filled', async () => {
    const { server, seen } = watched();
    await seconds(1);
    push(server, listed(1, 100));
    push(server, [trade(101)]);
    push(server, [trade(103)]);
    await seconds(1);
    server.last.end();
    await seconds(1);
    push(server, listed(6, 105));
    await seconds(1);
    expect(seen).toEqual([101, 103, 'late not filled', 'reconnect filled', 104, 105]);
  });

  it('reads missed trades over REST when the exchange replays nothing', async () => {
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

  it('reports the first gap before the trades that follow it, when a second one begins', async () => {
    const { server, seen, items } = await cut();
    await seconds(1);
    push(server, [trade(110)]);
    await seconds(0);
    server.last.end();
    await seconds(1);
    push(server, [trade(120)]);
    await seconds(40);
    expect(seen).toEqual([101, 'reconnect not filled', 110, 'reconnect not filled', 120]);
    expect(items[1]).toMatchObject({ from: 1101, to: 1110 });
    expect(items[3]).toMatchObject({ from: 1110, to: 1120 });
  });

  it('reports one gap for connections that brought no trade', async () => {
    const { server, seen } = await cut(() => 'never');
    for (let count = 0; count < 3; count += 1) {
      await seconds(1.5);
      server.last.end();
    }
    await seconds(5);
    push(server, listed(4, 103));
    await seconds(1);
    expect(seen).toEqual([101, 'reconnect filled', 102, 103]);
  });

  it('proves nothing by an empty page of REST, or by one without a known trade', async () => {
    for (const page of [[], listed(150, 180), listed(202, 300)]) {
      const { seen } = await cut(() => page);
      await seconds(5);
      expect(seen.slice(0, 2)).toEqual([101, 'reconnect not filled']);
      expect(seen).toHaveLength(2 + page.length);
    }
  });

  it('proves nothing by a page of REST or a replay with an unreadable trade', async () => {
    const torn = [trade(104), { ...trade(103), price: 'x' }, ...listed(5, 102)];
    const overRest = await cut(() => torn);
    await seconds(5);
    expect(overRest.seen).toEqual([101, 'reconnect not filled', 102, 104]);
    const replayed = await cut();
    await seconds(1);
    push(replayed.server, torn);
    await seconds(1);
    expect(replayed.seen).toEqual([101, 'reconnect not filled', 102, 104]);
  });

  it('lets a gap last until now, if a trade of the new connection was unreadable', async () => {
    const { server, seen, items } = await cut();
    await seconds(1);
    push(server, [trade(112), { ...trade(111), price: 'x' }, trade(110)]);
    await seconds(40);
    expect(seen).toEqual([101, 'reconnect not filled', 110, 112]);
    const gap = items[1];
    expect(gap?.kind === 'gap' && gap.to).toBeGreaterThan(Date.now() / 1000 - 40);
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

  it('puts the gap after a page of REST that is older than the connection', async () => {
    const { server, seen, items } = await cut(() => listed(4, 103));
    await seconds(1);
    push(server, [trade(110)]);
    await seconds(5);
    expect(seen).toEqual([101, 102, 103, 'reconnect not filled', 110]);
    expect(items[3]).toMatchObject({ from: 1103, to: 1110 });
  });

  it('emits no page of REST that is older than all known trades', async () => {
    const { server, seen } = watched(false, () => listed(1, 100));
    await seconds(1);
    push(server, [now(201)]);
    await seconds(1);
    server.last.end();
    await seconds(5);
    expect(seen).toEqual([201, 'reconnect not filled']);
  });

  it('emits no trade from before the subscription, where no replay came', async () => {
    const { server, seen } = watched(false, () => [...listed(20, 118), now(119)].toReversed());
    await seconds(5);
    server.last.end();
    await seconds(5);
    push(server, [now(120)]);
    await seconds(1);
    expect(seen).toEqual(['reconnect not filled', 119, 120]);
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

  it('emits no missed trade after those that followed it', async () => {
    const { server, seen } = await cut();
    await seconds(1);
    push(server, [trade(110)]);
    await seconds(40);
    push(server, listed(12, 111));
    await seconds(1);
    expect(seen).toEqual([101, 'reconnect not filled', 110, 111]);
  });

  it('holds back at most 1,000 trades', async () => {
    const { server, seen } = await cut();
    server.react = () => undefined;
    await seconds(1);
    for (let id = 201; id <= 1200; id += 1) push(server, [trade(id)]);
    await seconds(0);
    expect(seen).toEqual([101]);
    push(server, [trade(1201)]);
    await seconds(0);
    expect(seen.slice(0, 3)).toEqual([101, 'reconnect not filled', 201]);
    expect(seen).toHaveLength(1003);
  });

  it('is not misled by a duplicate of a known trade', async () => {
    const { server, seen } = await cut(() => listed(3, 102));
    await seconds(1);
    push(server, [trade(110)]);
    push(server, [trade(101)]);
    await seconds(5);
    expect(seen).toEqual([101, 102, 'reconnect not filled', 110]);
  });
});
