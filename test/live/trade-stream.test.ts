// exchange.live.trades on a connection: for several subscribers, and after an outage without a replay.
import type { LiveTradeItem } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds, setup } from './setup.js';

const market = 'BTC_USDT';

const trade = (id: number) => ({ id, time: 1000 + id, price: '100', amount: '1', type: 'buy' });
const listed = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => trade(from + index));
const write = (item: LiveTradeItem) => (item.kind === 'trade' ? item.trade.id : item.reason);

function watched() {
  const all = setup();
  const seen: (number | string)[] = [];
  const items: LiveTradeItem[] = [];
  all.exchange.live.trades({ markets: [market] }).subscribe((item) => {
    items.push(item);
    seen.push(write(item));
  });
  /** The exchange lists the newest trade first. */
  const send = (...trades: readonly object[]) => {
    all.server.last.push('trades_update', [market, trades.toReversed()]);
  };
  return { ...all, seen, items, send };
}

/** Subscribed, with 1 to 101 known, and then cut. */
async function cutOnce() {
  const all = watched();
  await seconds(1);
  all.send(...listed(1, 100));
  all.send(trade(101));
  await seconds(1);
  all.server.last.end();
  return all;
}

describe('exchange.live.trades', () => {
  onFakeTime();

  it('shows a late subscriber the next trade', async () => {
    const { exchange, send } = watched();
    await seconds(1);
    send(...listed(1, 100));
    send(trade(101));
    const late: unknown[] = [];
    exchange.live.trades({ markets: [market] }).subscribe((item) => late.push(write(item)));
    send(trade(102));
    await seconds(1);
    expect(late).toEqual([102]);
  });

  it('says that trades may be missing when the exchange replays none, and goes on', async () => {
    const { seen, items, send } = await cutOnce();
    await seconds(1);
    send(trade(106));
    await seconds(5);
    expect(seen).toEqual([101, 'reconnect', 106]);
    expect(items[1]).toMatchObject({ kind: 'gap', filled: false, channel: 'trades', market, from: 1101 });
    send(trade(107));
    await seconds(1);
    expect(seen.at(-1)).toBe(107);
  });
});
