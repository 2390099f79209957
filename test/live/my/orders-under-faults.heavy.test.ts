// Live orders of a bot on a sandbox with faults in everything that is pushed: the ledger says what they must come to.
import {
  createExchange,
  filled,
  isCanceled,
  isOpen,
  type LiveOpenOrders,
  type LiveOrderItem,
  type OrderFill,
} from 'exchange-rx';
import { createSandbox, type LiveFaultKind } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds, seeded } from '../setup.js';

const market = 'BTC_USDT';
const markets = [market];

/** Two refused tokens in a row end the streams, so no token is refused here. */
const kinds: readonly LiveFaultKind[] = [
  ...(['refuse', 'slow-handshake', 'cut', 'close', 'half-open', 'mute', 'no-response'] as const),
  ...(['late-response', 'refuse-request', 'drop', 'duplicate', 'reorder', 'delay'] as const),
  ...(['silent-loss', 'collapse', 'order-before-deal', 'event-before-response', 'history-lag', 'corrupt'] as const),
];

describe('live orders under faults', () => {
  onFakeTime();

  it.each([102, 106])('are those of the ledger, each end once, with seed %i', { timeout: 60_000 }, async (seed) => {
    const sandbox = createSandbox({
      ...{ volatility: 0, seed, historyLagMs: 1000 },
      markets: [{ name: market, price: '60000', minAmount: '0.0001', depth: { levels: 3, step: 0.001, size: '5' } }],
    });
    const random = seeded(seed);
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: { random } });
    const items: LiveOrderItem[] = [];
    const maps: LiveOpenOrders[] = [];
    const fills: OrderFill[] = [];
    const errors: unknown[] = [];
    const error = (one: unknown) => errors.push(one);
    exchange.live.my.orders({ markets }).subscribe({ next: (item) => items.push(item), error });
    exchange.live.my.openOrders({ markets }).subscribe({ next: (map) => maps.push(map), error });
    await seconds(2);
    sandbox.randomLiveFaults({ share: 0.3, seed, kinds });
    for (let round = 0; round < 100; round += 1) {
      const price = random() < 0.3 ? '70000' : String(50_000 + Math.floor(random() * 1000));
      exchange.spot
        .placeLimitOrder({ market, side: 'buy', amount: '0.01', price })
        .pipe(filled(exchange))
        .subscribe({ next: (fill) => fills.push(fill), error });
      await seconds(random() * 2);
      const open = (maps.at(-1)?.orders ?? []).map(({ order_id: id }) => id);
      const order_id = open[Math.floor(random() * open.length)];
      if (order_id === undefined || random() < 0.5) continue;
      const change$ =
        random() < 0.4
          ? exchange.orders.modify({ market, order_id, price: random() < 0.3 ? '70000' : '49000' })
          : exchange.orders.cancel({ market, order_id });
      // The map may be stale: then the order has ended already.
      change$.subscribe({ error: () => undefined });
      await seconds(random());
    }
    sandbox.randomLiveFaults(undefined);
    await seconds(300);

    expect(errors).toEqual([]);
    const { orders } = sandbox.ledger;
    const openIds = orders.filter(isOpen).map(({ order_id }) => order_id);
    expect((maps.at(-1)?.orders ?? []).map(({ order_id: id }) => id).toSorted()).toEqual(openIds.toSorted());
    expect(maps.at(-1)).toMatchObject({ status: 'live', unknown: [] });
    const endedIds = items.flatMap((item) => (item.kind === 'ended' ? [item.order.order_id] : []));
    expect(endedIds).toHaveLength(new Set(endedIds).size);
    for (const [index, item] of items.entries()) {
      if (item.kind !== 'modified') continue;
      const before = items.slice(0, index).flatMap((one) => (one.kind === 'ended' ? one.order.order_id : []));
      expect([item.order.order_id, item.before.order_id].filter((id) => before.includes(id))).toEqual([]);
    }
    const ends = [...endedIds, ...items.flatMap((item) => (item.kind === 'modified' ? [item.before.order_id] : []))];
    expect(ends.filter((id) => openIds.includes(id))).toEqual([]);
    // Every order was placed by this client and followed: all of their ends are known.
    const unseen = orders.filter(({ order_id }) => !openIds.includes(order_id) && !ends.includes(order_id));
    const fillsOfResponse = unseen.filter(({ status }) => status === 'FILLED');
    expect(unseen).toEqual(fillsOfResponse);
    for (const item of items) {
      if (item.kind !== 'ended') continue;
      const { order } = item;
      const executed = orders.find(({ order_id }) => order_id === order.order_id);
      expect(order).toMatchObject({ deal_stock: executed?.deal_stock, deal_money: executed?.deal_money });
      expect(isCanceled(order)).toBe(executed !== undefined && isCanceled(executed));
    }
    expect(fills).toHaveLength(100 - openIds.length);
  });
});
