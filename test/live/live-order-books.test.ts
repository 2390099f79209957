// exchange.live.orderBook: a book is true, or says that it is stale.
import type { LiveOrderBook } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { LiveConnection } from '../support/live-exchange.js';
import { delta, depthServer, distantSetup, ms, onFakeTime, seconds, setup, snapshot } from './setup.js';
import { collected, eventsOf } from '../support/watch.js';

const market = 'BTC_USDT';

function pushSnapshot(connection: LiveConnection, updateId: number, sides: object): void {
  connection.push('depth_update', [true, { timestamp: 1.5, event_time: 1.6, update_id: updateId, ...sides }, market]);
}

function pushDelta(connection: LiveConnection, from: number, to: number, sides: object): void {
  const ids = { update_id: to, past_update_id: from };
  connection.push('depth_update', [false, { timestamp: 2.5, event_time: 2.6, ...ids, ...sides }, market]);
}

const stateOf = ({ status, updateId }: LiveOrderBook) => `${status} ${updateId}`;

const sides = { asks: [['101', '1']], bids: [['100', '1']] };

async function watched(limit: 1 | 5 | 100 = 100) {
  const all = setup();
  const books = collected(all.exchange.live.orderBook({ market, limit }));
  await seconds(1);
  return { ...all, books, states: () => books.map(stateOf) };
}

describe('exchange.live.orderBook', () => {
  onFakeTime();

  it('is stale in the turn in which an update is missing, reports the gap, and is subscribed again', async () => {
    const { server, exchange, states } = await watched();
    const gaps = eventsOf(exchange, 'live-gap');
    pushSnapshot(server.last, 10, sides);
    await seconds(0);
    pushDelta(server.last, 11, 12, { bids: [['100', '2']] });
    await ms(0);
    expect(states()).toEqual(['live 10', 'stale 10']);
    expect(server.script.slice(1)).toEqual(['1 depth_subscribe ["BTC_USDT",100,"0",true]']);
    // What is left of the former chain changes nothing.
    pushDelta(server.last, 12, 13, { bids: [['100', '3']] });
    await seconds(1);
    pushSnapshot(server.last, 20, sides);
    await seconds(1);
    expect(states()).toEqual(['live 10', 'stale 10', 'live 20']);
    expect(gaps).toMatchObject([{ channel: 'orderBook', market, reason: 'sequence', filled: false }]);
  });

  it('takes a repeated snapshot for no gap', async () => {
    const { server, states, books } = await watched();
    pushSnapshot(server.last, 10, sides);
    await seconds(10);
    pushSnapshot(server.last, 12, sides);
    pushDelta(server.last, 12, 13, { bids: [['100', '3']] });
    await seconds(1);
    expect(states()).toEqual(['live 10', 'live 12', 'live 13']);
    expect(server.script).toHaveLength(1);
    expect(books[1]?.bids).toBe(books[0]?.bids);
  });

  it('is replaced, after a gap, by a snapshot of a later time and a lower number: the exchange has restarted', async () => {
    const { server, states } = await watched();
    pushSnapshot(server.last, 1000, sides);
    await seconds(1);
    server.last.push('depth_update', [true, { timestamp: 3.5, update_id: 7, ...sides }, market]);
    pushDelta(server.last, 7, 8, { bids: [['100', '3']] });
    await seconds(1);
    expect(states()).toEqual(['live 1000', 'stale 1000', 'live 7', 'live 8']);
  });

  it('is stale after 12 s of silence, and is subscribed again; a second silence replaces the connection', async () => {
    const { server, states } = await watched();
    pushSnapshot(server.last, 10, sides);
    await seconds(14);
    expect(states()).toEqual(['live 10', 'stale 10']);
    expect(server.script).toHaveLength(2);
    pushSnapshot(server.last, 11, sides);
    await seconds(14);
    expect(states()).toEqual(['live 10', 'stale 10', 'live 11', 'stale 11']);
    expect(server.connections).toHaveLength(2);
  });

  it('that stays silent costs the other markets nothing', async () => {
    const { server, exchange } = await watched();
    const prices = collected(exchange.live.lastPrice({ markets: [market] }), ({ status }) => status);
    exchange.live.orderBook({ market: 'HALTED_USDT' }).subscribe();
    await seconds(1);
    server.last.push('lastprice_update', [market, '1']);
    for (let second = 0; second < 600; second += 5) {
      pushSnapshot(server.last, 10 + second, sides);
      await seconds(5);
    }
    expect(server.connections).toHaveLength(1);
    expect(prices).toEqual(['live']);
  });

  it('is stale when its first snapshot does not come, too: it is subscribed again', async () => {
    const { server } = await watched();
    await seconds(14);
    expect(server.script).toHaveLength(2);
  });

  it('is stale while the connection is lost, and live with the next snapshot', async () => {
    const { server, states } = await watched();
    pushSnapshot(server.last, 10, sides);
    await seconds(0);
    server.last.end();
    await seconds(0);
    expect(states()).toEqual(['live 10', 'stale 10']);
    await seconds(1);
    // A delta that would continue the book of the connection before.
    pushDelta(server.last, 10, 11, { bids: [['100', '9']] });
    pushSnapshot(server.last, 3, sides);
    await seconds(1);
    expect(states()).toEqual(['live 10', 'stale 10', 'live 3']);
  });

  it('does not subscribe again ten times a second at an exchange that breaks every chain', async () => {
    const { server, exchange } = setup();
    server.react = (request) => {
      server.confirm(request);
      pushSnapshot(request.connection, 10, sides);
      pushDelta(request.connection, 12, 13, { bids: [['100', '2']] });
    };
    exchange.live.orderBook({ market }).subscribe();
    await seconds(60);
    expect(server.script.length).toBeGreaterThan(4);
    expect(server.script.length).toBeLessThan(60 / 2.5);
  });

  it('is one subscription for all limits, cut for each subscriber', async () => {
    const { server, exchange, books } = await watched(1);
    const wide = { asks: sides.asks, bids: [...sides.bids, ['99', '1']] };
    pushSnapshot(server.last, 10, wide);
    await seconds(0);
    const wider = collected(exchange.live.orderBook({ market, limit: 5 }));
    await seconds(1);
    pushDelta(server.last, 10, 11, { bids: [['99', '5']] });
    await seconds(1);
    expect(server.script).toEqual(['1 depth_subscribe ["BTC_USDT",100,"0",true]']);
    expect(wider.map(({ bids }) => bids.join(' '))).toEqual(['100,1 99,1', '100,1 99,5']);
    // The second level is not part of the narrow book: it does not change.
    expect(books.map(({ bids, updateId }) => [bids, updateId])).toEqual([[[['100', '1']], 10]]);
    pushDelta(server.last, 11, 12, { bids: [['100', '0']] });
    await seconds(0);
    expect(books.at(-1)?.bids).toEqual([['99', '5']]);
  });

  it('is subscribed to orderBookLimit levels, which no subscriber exceeds', async () => {
    const { server, exchange } = setup({ orderBookLimit: 20 });
    exchange.live.orderBook({ market }).subscribe();
    exchange.live.orderBook({ market: 'ETH_USDT', limit: 5 }).subscribe();
    await seconds(1);
    const markets = ['BTC_USDT', 'ETH_USDT'];
    expect(server.script).toEqual(markets.map((one) => `1 depth_subscribe ["${one}",20,"0",true]`));
    expect(() => exchange.live.orderBook({ market, limit: 50 })).toThrow('limit 50 must be one of 1, 5, 10, 20');
  });

  it('emits at most one live book every everyMs, and a stale one at once', async () => {
    const { server, exchange } = setup();
    const seen = collected(exchange.live.orderBook({ market, everyMs: 1000 }), stateOf);
    await seconds(1);
    pushSnapshot(server.last, 10, sides);
    for (let id = 10; id < 30; id += 1) {
      pushDelta(server.last, id, id + 1, { bids: [['100', String(id)]] });
      await ms(100);
    }
    expect(seen).toEqual(['live 10', 'live 20', 'live 30']);
    pushDelta(server.last, 30, 31, { bids: [['100', '31']] });
    pushDelta(server.last, 77, 78, { bids: [['100', '78']] });
    await ms(0);
    expect(seen.slice(3)).toEqual(['stale 31']);
  });

  it.each([
    ['of a refused market', 9, 'market B_USDT does not exist'],
    ['that is left while its subscription is to be retried', 7, 'too many requests'],
  ])('%s does not end those of other markets: an empty depth_unsubscribe would', async (_, code, message) => {
    const { server, exchange } = distantSetup();
    const subscribed = depthServer(server);
    const { react } = server;
    server.react = (got) => {
      if (got.params[0] === 'B_USDT') got.connection.refuse(got.id, code, message);
      else react(got);
    };
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe();
    await ms(1000);
    const left = exchange.live.orderBook({ market: 'B_USDT' }).subscribe({ error: () => undefined });
    await ms(100);
    left.unsubscribe();
    await ms(5000);
    expect(server.script).not.toContain('1 depth_unsubscribe []');
    expect([...subscribed.keys()]).toEqual(['A_USDT']);
  });

  it('comes to each of two subscribers in a row on a busy market', async () => {
    const { server, exchange } = distantSetup();
    depthServer(server);
    let id = 1000;
    const timer = setInterval(() => {
      if (server.open === 0) return;
      server.last.push('depth_update', delta('A_USDT', id, id + 1));
      id += 1;
    }, 100);
    const book$ = exchange.live.orderBook({ market: 'A_USDT' });
    const second = firstValueFrom(book$).then(() => firstValueFrom(book$));
    await ms(120_000);
    clearInterval(timer);
    expect(await second).toMatchObject({ market: 'A_USDT' });
  });

  it.each([
    ['in the end after a gap before the confirmation', true, 120_000],
    ['at once after a gap that follows the confirmation', false, 1000],
  ])('is renewed %s, which its snapshot precedes', async (_, isBefore, waitMs) => {
    const { server, exchange } = distantSetup();
    let subscribes = 0;
    server.react = ({ connection, id, method }) => {
      if (method === 'depth_subscribe') {
        subscribes += 1;
        connection.push('depth_update', snapshot(market, 1000 * subscribes, 100));
        if (isBefore && subscribes === 1) connection.push('depth_update', delta(market, 1005, 1006));
      }
      connection.confirm(id);
    };
    const seen = collected(exchange.live.orderBook({ market }), stateOf);
    const pushing = setInterval(() => {
      if (subscribes === 1) server.last.push('depth_update', delta(market, 1006, 1007));
    }, 100);
    await ms(waitMs);
    clearInterval(pushing);
    expect(seen.slice(0, 3)).toEqual(['live 1000', 'stale 1000', 'live 2000']);
  });

  it('is not turned back by an older snapshot', async () => {
    const { server, states } = await watched();
    pushSnapshot(server.last, 1000, sides);
    const engineTime = { timestamp: 2.5 };
    pushDelta(server.last, 1000, 1001, { ...engineTime, bids: [['100', '2']] });
    pushSnapshot(server.last, 900, { ...sides, ...engineTime });
    await seconds(1);
    expect(states()).toEqual(['live 1000', 'live 1001']);
  });
});
