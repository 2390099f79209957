// A frame that cannot be read may have been of any stream, so it concerns every stream of its connection, at once.
import { createScheduler, type LiveOrderBook } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { DealsExchange } from './hostile/deals-exchange.js';
import { attack, delta, depthServer, ms } from './hostile/hostile-exchange.js';
import { accountSetup, json } from './my/account-exchange.js';
import { onFakeTime } from './setup.js';

const market = 'A_USDT';
const markets = [market];

const statistics = { last: '5', open: '4', high: '6', low: '3', volume: '7', deal: '30' };

/** How a frame is found to be unreadable is tested with the messages of a connection. */
const data = '{"id":null,"method":"depth_update","params":[false,{"update_id":10';

describe('a frame that is cut', () => {
  onFakeTime();

  it('makes every public value stale in the same turn, and trades have a gap', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    const seen: string[] = [];
    exchange.live.orderBook({ market }).subscribe(({ status }) => seen.push(`book ${status}`));
    exchange.live.ticker({ markets }).subscribe(({ status }) => seen.push(`ticker ${status}`));
    exchange.live.trades({ markets }).subscribe((item) => seen.push(item.kind === 'gap' ? 'gap' : 'trade'));
    await ms(1000);
    world.wire.push('market_update', [market, statistics]);
    expect(seen).toEqual(['book live', 'ticker live']);
    world.wire.frame(data);
    expect(seen.slice(2).sort()).toEqual(['book stale', 'ticker stale']);
    await ms(10_000);
    expect(seen.slice(4)).toEqual(['book live', 'gap']);
    world.wire.push('market_update', [market, statistics]);
    expect(seen.slice(6)).toEqual(['ticker live']);
  });

  it('is followed by balances that were read again, and by a gap in margin calls', async () => {
    const { account, world, exchange } = accountSetup({}, { scheduler: createScheduler({}) });
    account.results.set('balanceSpot_request', { USDT: { available: '100', freeze: '0' } });
    const seen: string[] = [];
    exchange.live.my
      .balances()
      .subscribe(({ status, balance }) => seen.push(`${status} ${balance['USDT']?.available ?? ''}`));
    exchange.live.my.positionEvents().subscribe(({ kind }) => seen.push(kind));
    await ms(1000);
    expect(seen).toEqual(['live 100']);
    account.results.set('balanceSpot_request', { USDT: { available: '50', freeze: '50' } });
    world.wire.frame(data);
    expect(seen.slice(1)).toEqual(['stale 100']);
    await ms(2000);
    expect(seen.slice(2).sort()).toEqual(['gap', 'live 50']);
  });

  it('costs no execution: it is read from the history', async () => {
    const deals = new DealsExchange(() => 0.9);
    const { world, exchange } = attack(
      {},
      { credentials: { apiKey: 'key', apiSecret: 'secret' }, fetch: deals.fetch, scheduler: createScheduler({}) },
    );
    deals.serve(world);
    const seen: string[] = [];
    exchange.live.my
      .executions()
      .subscribe((item) => seen.push(item.kind === 'gap' ? `gap ${String(item.filled)}` : String(item.execution.id)));
    await ms(10_000);
    deals.lies = { ...deals.lies, lost: 1 };
    deals.execute(market);
    world.wire.frame(data);
    await ms(5000);
    expect(seen).toEqual(['gap false', '1000', 'gap true']);
  });

  it('costs no end of an order', async () => {
    const { account, world, exchange } = accountSetup({}, { scheduler: createScheduler({}) });
    const order = {
      ...{ orderId: 7, clientOrderId: '', market, side: 'buy', type: 'limit', timestamp: 1, dealMoney: '0' },
      ...{ dealStock: '0', amount: '1', left: '1', dealFee: '0', price: '10', status: 'OPEN' },
    };
    let isOpen = true;
    account.rest = (path) => json(200, path.endsWith('/orders') ? (isOpen ? [order] : []) : isOpen ? [] : ended(order));
    const seen: string[] = [];
    exchange.live.my
      .openOrders({ markets })
      .subscribe(({ status, orders }) => seen.push(`${status} ${[...orders.keys()].join()}`));
    await ms(3000);
    expect(seen).toEqual(['live 7']);
    isOpen = false;
    world.wire.frame(data);
    expect(seen.slice(1)).toEqual(['stale 7']);
    await ms(5000);
    expect(seen.slice(2)).toEqual(['live ']);
  });
});

/** The history of an order that was filled. */
function ended(order: Readonly<Record<string, unknown>>): unknown {
  const { orderId, market: _, ...fields } = order;
  return {
    [market]: [{ ...fields, id: orderId, status: 'FILLED', ctime: 1, ftime: Date.now() / 1000, dealStock: '1' }],
  };
}

describe('a connection with an unreadable frame', () => {
  onFakeTime();

  it('is replaced at once, and reports why', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    const books: LiveOrderBook['status'][] = [];
    const reasons: string[] = [];
    exchange.live.state$.subscribe((state) => {
      if (state.status === 'waiting') reasons.push(state.reason);
    });
    exchange.live.orderBook({ market }).subscribe(({ status }) => books.push(status));
    await ms(1000);
    world.wire.frame('{');
    await ms(1000);
    world.wire.push('depth_update', delta(market, 2000, 2001));
    expect(reasons).toEqual(['unreadable']);
    expect(world.wires).toHaveLength(2);
    expect(books).toEqual(['live', 'stale', 'live', 'live']);
  });

  it('is kept for a message of an unknown channel', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    exchange.live.orderBook({ market }).subscribe();
    await ms(1000);
    world.wire.push('news_update', ['new']);
    await ms(1000);
    expect(world.wires).toHaveLength(1);
  });

  it('gives the queries in flight an error instead of a wait', async () => {
    const { world, exchange } = attack();
    const errors: unknown[] = [];
    world.on = () => undefined;
    exchange.live.time().subscribe({ error: (error: unknown) => errors.push(error) });
    await ms(1000);
    world.wire.frame('{"id":1,"result":179531');
    expect(errors).toMatchObject([{ kind: 'transport' }]);
  });
});
