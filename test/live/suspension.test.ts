// A process that was suspended (SIGSTOP, a laptop's lid): values from before are not live because of the pause.
import { createScheduler } from 'exchange-rx';
import { describe, expect, it, vi } from 'vitest';
import { attack, delta, depthServer, ms, snapshot } from './hostile/hostile-exchange.js';
import { accountSetup, json } from './my/account-exchange.js';
import { blockFor, onFakeTime } from './setup.js';

const market = 'A_USDT';
const markets = [market];

/** No timer fires for this time, seconds. While a machine sleeps, the clock of its timers may stand still. */
const suspensions: readonly (readonly [name: string, suspend: (count: number) => void])[] = [
  ['the process is stopped', blockFor],
  [
    'the machine sleeps',
    (count) => {
      vi.setSystemTime(Date.now() + count * 1000);
    },
  ],
];

describe.each(suspensions)('after a time in which %s', (_, suspend) => {
  onFakeTime();

  function watched() {
    const all = attack();
    depthServer(all.world);
    const seen: string[] = [];
    const { live } = all.exchange;
    live.orderBook({ market }).subscribe(({ status, updateId }) => seen.push(`book ${status} ${updateId}`));
    live.lastPrice({ markets }).subscribe(({ status, price }) => seen.push(`price ${status} ${price}`));
    live.premiumIndex({ markets: ['A_PERP'] }).subscribe(({ status }) => seen.push(`index ${status}`));
    const index = () => {
      all.world.wire.push('premiumIndex_update', ['A_PERP', '1', '1', '0.0001', 1795334400000, 1795316400.51]);
    };
    const price = (value: string) => {
      all.world.wire.push('lastprice_update', [market, value]);
    };
    return { ...all, seen, index, price };
  }

  it('a book and an index older than their bound of 12 s are stale at once, and live when they are subscribed again', async () => {
    const { world, seen, index, price } = watched();
    await ms(1000);
    index();
    price('1');
    await ms(100);
    seen.length = 0;
    suspend(20);
    await ms(1100);
    expect(seen.slice(0, 2).toSorted()).toEqual(['book stale 1000', 'index stale']);
    index();
    expect(seen.slice(2)).toEqual(['book live 2000', 'index live']);
    expect(world.wires).toHaveLength(1);
  });

  it('no value that waited in the socket is live, whether it is read before or after the timers', async () => {
    const { world, seen, index, price } = watched();
    await ms(1000);
    index();
    price('1');
    await ms(100);
    seen.length = 0;
    // The path is dead: nothing gets a response.
    world.latencyMs = 1_000_000;
    suspend(120);
    const backlog = (past: number) => {
      for (let id = past; id < past + 10; id += 1) world.wire.push('depth_update', delta(market, id, id + 1));
      world.wire.push('depth_update', snapshot(market, past + 10, 5));
      index();
      price('2');
    };
    backlog(1000);
    await ms(1100);
    backlog(1010);
    await ms(8000);
    backlog(1020);
    expect(seen.toSorted()).toEqual(['book stale 1000', 'index stale', 'price stale 1']);
    await ms(5000);
    expect(world.wires).toHaveLength(2);
    expect(seen).toHaveLength(3);
  });

  it('a pong that waited in the socket does not show that the socket is empty', async () => {
    const { world, seen, price } = watched();
    await ms(1000);
    price('1');
    await ms(1000);
    seen.length = 0;
    world.latencyMs = 1_000_000;
    suspend(120);
    world.wire.answer(0, 'pong');
    world.wire.push('depth_update', delta(market, 1000, 1001));
    price('2');
    expect(seen.toSorted()).toEqual(['book stale 1000', 'price stale 1']);
  });

  it('a subscription that was confirmed meanwhile is not live by a snapshot that waited in the socket', async () => {
    const { world, exchange } = attack();
    const seen: string[] = [];
    const held: (() => void)[] = [];
    world.on = (got) => {
      held.push(() => {
        got.wire.ok(got.id);
        got.wire.push('depth_update', snapshot(market, 1000, 5));
      });
    };
    exchange.live.orderBook({ market }).subscribe(({ status, updateId }) => seen.push(`${status} ${updateId}`));
    await ms(100);
    suspend(120);
    depthServer(world);
    held[0]?.();
    expect(seen).toEqual([]);
    await ms(2000);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^live/);
  });

  it('no event that waited in the socket is lost', async () => {
    const { world, exchange } = attack();
    const seen: string[] = [];
    exchange.live.trades({ markets }).subscribe((item) => {
      if (item.kind === 'trade') seen.push(`trade ${item.trade.id}`);
    });
    await ms(3000);
    suspend(120);
    const trade = (id: number) => ({ id, time: Date.now() / 1000, price: '1', amount: '1', type: 'buy' });
    world.wire.push('trades_update', [market, [trade(7)]]);
    await ms(1100);
    world.wire.push('trades_update', [market, [trade(8)]]);
    await ms(5000);
    expect(seen).toEqual(['trade 7', 'trade 8']);
    expect(world.wires).toHaveLength(1);
  });

  it('a second time within a minute, a connection that responds is kept', async () => {
    const { world, seen } = watched();
    await ms(5000);
    suspend(60);
    await ms(10_000);
    suspend(60);
    await ms(10_000);
    expect(world.wires).toHaveLength(1);
    expect(seen.filter((line) => line.startsWith('book')).map((line) => line.split(' ')[1])).toEqual([
      ...['live', 'stale', 'live', 'stale', 'live'],
    ]);
  });

  it('of 5 s leaves the values of just before live', async () => {
    const { world, seen, index, price } = watched();
    await ms(1000);
    index();
    price('1');
    await ms(100);
    seen.length = 0;
    suspend(5);
    await ms(1100);
    expect(seen).toEqual([]);
    expect(world.log.filter((line) => line.includes('_subscribe'))).toHaveLength(3);
  });

  it('longer than a connection may be silent, nothing is live before it is subscribed again', async () => {
    const { world, seen, index, price } = watched();
    await ms(1000);
    index();
    price('1');
    await ms(100);
    seen.length = 0;
    suspend(30);
    // A message that has waited in the socket does not show that the price is that of now.
    price('2');
    await ms(1100);
    expect(seen.slice(0, 4).sort()).toEqual(['book live 2000', 'book stale 1000', 'index stale', 'price stale 1']);
    price('3');
    expect(seen.slice(4)).toEqual(['price live 3']);
    expect(world.log.filter((line) => line.includes('lastprice_subscribe'))).toHaveLength(2);
    expect(world.wires).toHaveLength(1);
  });

  it('a connection that does not respond any more is replaced', async () => {
    const { world, seen, price } = watched();
    await ms(1000);
    price('1');
    const react = world.on;
    world.on = (got) => {
      if (got.wire.number > 1) react(got);
    };
    suspend(3600);
    await ms(1100);
    expect(seen.filter((line) => line.includes('stale')).toSorted()).toEqual(['book stale 1000', 'price stale 1']);
    await ms(13_000);
    expect(world.wires).toHaveLength(2);
    expect(seen.at(-1)).toBe('book live 2000');
  });

  it('the same holds for the account: balances and open orders are read again', async () => {
    const { account, world, exchange } = accountSetup({}, { scheduler: createScheduler({}) });
    account.results.set('balanceSpot_request', { USDT: { available: '100', freeze: '0' } });
    account.rest = () => json(200, []);
    const seen: string[] = [];
    exchange.live.my.balances().subscribe(({ status, balance }) => {
      seen.push(`balance ${status} ${balance['USDT']?.available ?? ''}`);
    });
    exchange.live.my.openOrders({ markets }).subscribe(({ status }) => seen.push(`orders ${status}`));
    await ms(3000);
    seen.length = 0;
    account.results.set('balanceSpot_request', { USDT: { available: '50', freeze: '0' } });
    suspend(60);
    await ms(1100);
    expect(seen.slice(0, 2).sort()).toEqual(['balance stale 100', 'orders stale']);
    await ms(5000);
    expect(seen.slice(2).sort()).toEqual(['balance live 50', 'orders live']);
    expect(world.wires).toHaveLength(1);
  });
});
