// A process that was suspended (SIGSTOP, a laptop's lid): values from before are not live because of the pause.
import { describe, expect, it, vi } from 'vitest';
import { blockFor, delta, depthServer, distantSetup, ms, onFakeTime, snapshot } from './setup.js';
import { collected } from '../support/watch.js';

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

  /** With a value of each channel. */
  async function watched() {
    const all = distantSetup();
    depthServer(all.server);
    const seen: string[] = [];
    const { live } = all.exchange;
    live.orderBook({ market }).subscribe(({ status, updateId }) => seen.push(`book ${status} ${updateId}`));
    live.lastPrice({ markets }).subscribe(({ status, price }) => seen.push(`price ${status} ${price}`));
    live.premiumIndex({ markets: ['A_PERP'] }).subscribe(({ status }) => seen.push(`index ${status}`));
    const index = () => {
      all.server.last.push('premiumIndex_update', ['A_PERP', '1', '1', '0.0001', 1795334400000, 1795316400.51]);
    };
    const price = (value: string) => {
      all.server.last.push('lastprice_update', [market, value]);
    };
    await ms(1000);
    index();
    price('1');
    await ms(100);
    seen.length = 0;
    return { ...all, seen, index, price };
  }

  it('nothing is live before it is subscribed on another connection', async () => {
    const { server, seen, index, price } = await watched();
    suspend(20);
    await ms(3000);
    expect(seen.slice(0, 3).toSorted()).toEqual(['book stale 1000', 'index stale', 'price stale 1']);
    index();
    price('2');
    expect(seen.slice(3)).toEqual(['book live 2000', 'index live', 'price live 2']);
    expect(server.connections).toHaveLength(2);
  });

  it('no value that waited in the socket is live, whether it is read before or after the timers', async () => {
    for (const waitMs of [0, 1100]) {
      const { server, seen, index, price } = await watched();
      server.accepts = false;
      suspend(120);
      await ms(waitMs);
      const [connection] = server.connections;
      connection?.push('depth_update', delta(market, 1000, 1001));
      connection?.push('depth_update', snapshot(market, 1002, 5));
      index();
      price('2');
      await ms(5000);
      expect(seen.toSorted()).toEqual(['book stale 1000', 'index stale', 'price stale 1']);
    }
  });

  it('events that may have been lost are a gap', async () => {
    const { server, exchange } = distantSetup();
    const seen = collected(exchange.live.trades({ markets }), (item) =>
      item.kind === 'trade' ? `trade ${item.trade.id}` : `${item.reason} ${item.filled ? 'filled' : 'open'}`,
    );
    const trade = (id: number) => ({ id, time: Date.now() / 1000, price: '1', amount: '1', type: 'buy' });
    await ms(1000);
    server.last.push('trades_update', [market, [trade(6)]]);
    await ms(2000);
    suspend(120);
    server.last.push('trades_update', [market, [trade(7)]]);
    await ms(1100);
    server.last.push('trades_update', [market, [trade(8)]]);
    await ms(5000);
    expect(seen).toEqual(['trade 6', 'reconnect open', 'trade 8']);
  });

  it('of 5 s leaves the values of just before live, and loses nothing that came meanwhile', async () => {
    const { server, seen, price } = await watched();
    suspend(5);
    server.last.push('depth_update', delta(market, 1000, 1001));
    price('2');
    await ms(1100);
    expect(seen).toEqual(['book live 1001', 'price live 2']);
    expect(server.script.filter((line) => line.includes('_subscribe'))).toHaveLength(3);
  });
});
