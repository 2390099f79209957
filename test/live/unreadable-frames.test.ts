// A frame that cannot be read may have been of any stream, so it concerns every stream of its connection, at once.
import type { LiveOrderBook } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { attack, delta, depthServer, ms } from './hostile/hostile-exchange.js';
import { onFakeTime } from './setup.js';

const market = 'A_USDT';
const markets = [market];

const statistics = { last: '5', open: '4', high: '6', low: '3', volume: '7', deal: '30' };

/** How a frame is found to be unreadable is tested with the messages of a connection. */
const data = '{"id":null,"method":"depth_update","params":[false,{"update_id":10';

describe('a frame that is cut', () => {
  onFakeTime();

  it('makes every public value stale in the same turn, and trades have a gap', async () => {
    const { server, exchange } = attack();
    depthServer(server);
    const seen: string[] = [];
    exchange.live.orderBook({ market }).subscribe(({ status }) => seen.push(`book ${status}`));
    exchange.live.ticker({ markets }).subscribe(({ status }) => seen.push(`ticker ${status}`));
    exchange.live.trades({ markets }).subscribe((item) => seen.push(item.kind === 'gap' ? 'gap' : 'trade'));
    await ms(1000);
    server.last.push('market_update', [market, statistics]);
    expect(seen).toEqual(['book live', 'ticker live']);
    server.last.frame(data);
    expect(seen.slice(2).sort()).toEqual(['book stale', 'ticker stale']);
    await ms(10_000);
    expect(seen.slice(4)).toEqual(['book live', 'gap']);
    server.last.push('market_update', [market, statistics]);
    expect(seen.slice(6)).toEqual(['ticker live']);
  });
});

describe('a connection with an unreadable frame', () => {
  onFakeTime();

  it('is replaced at once, and reports why', async () => {
    const { server, exchange } = attack();
    depthServer(server);
    const books: LiveOrderBook['status'][] = [];
    const reasons: string[] = [];
    exchange.live.state$.subscribe((state) => {
      if (state.status === 'waiting') reasons.push(state.reason);
    });
    exchange.live.orderBook({ market }).subscribe(({ status }) => books.push(status));
    await ms(1000);
    server.last.frame('{');
    await ms(1000);
    server.last.push('depth_update', delta(market, 2000, 2001));
    expect(reasons).toEqual(['unreadable']);
    expect(server.connections).toHaveLength(2);
    expect(books).toEqual(['live', 'stale', 'live', 'live']);
  });

  it('gives the queries in flight an error instead of a wait', async () => {
    const { server, exchange } = attack();
    const errors: unknown[] = [];
    server.react = () => undefined;
    exchange.live.time().subscribe({ error: (error: unknown) => errors.push(error) });
    await ms(1000);
    server.last.frame('{"id":1,"result":179531');
    expect(errors).toMatchObject([{ kind: 'transport' }]);
  });
});
