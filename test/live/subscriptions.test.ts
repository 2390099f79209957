// What is subscribed on the wire: full lists, one request at a time, refusals.
import { describe, expect, it, vi } from 'vitest';
import type { ReceivedRequest } from '../support/live-exchange.js';
import { ms, onFakeTime, seconds, setup } from './setup.js';
import { collected, errorsOf, eventsOf, valuesAndErrors } from '../support/watch.js';

const confirm = ({ connection, id }: ReceivedRequest) => {
  connection.confirm(id);
};

/** Refuses every list that has one of these markets; the text names it only if `named`. */
function refuses(bad: readonly string[], named: boolean, react = confirm) {
  return (request: ReceivedRequest) => {
    const found = request.params.find((market): market is string => typeof market === 'string' && bad.includes(market));
    if (found === undefined) react(request);
    else if (named) request.connection.refuse(request.id, 9, `market ${found} does not exist`);
    else request.connection.refuse(request.id, 1, 'invalid argument');
  };
}

describe('subscriptions', () => {
  onFakeTime();

  it('of one market are shared by its subscribers, and end with the last of them', async () => {
    const { server, exchange } = setup();
    const other = exchange.live.lastPrice({ markets: ['ETH_USDT'] }).subscribe();
    const two = [1, 2].map(() => exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe());
    await seconds(1);
    two[0]?.unsubscribe();
    await seconds(1);
    expect(server.script).toEqual(['1 lastprice_subscribe ["ETH_USDT","BTC_USDT"]']);
    two[1]?.unsubscribe();
    await seconds(1);
    expect(server.script.slice(1)).toEqual(['1 lastprice_subscribe ["ETH_USDT"]']);
    exchange.live.trades({ markets: ['ETH_USDT'] }).subscribe();
    other.unsubscribe();
    await seconds(1);
    expect(server.script.slice(2).toSorted()).toEqual([
      '1 lastprice_unsubscribe []',
      '1 trades_subscribe ["ETH_USDT"]',
    ]);
  });

  it('change by one request with the full list, for all changes of a turn', async () => {
    const { server, exchange } = setup();
    const first = exchange.live.trades({ markets: ['A_USDT', 'B_USDT'] }).subscribe();
    await seconds(1);
    exchange.live.trades({ markets: ['C_USDT'] }).subscribe();
    exchange.live.trades({ markets: ['D_USDT', 'A_USDT'] }).subscribe();
    first.unsubscribe();
    await seconds(1);
    expect(server.script).toEqual([
      '1 trades_subscribe ["A_USDT","B_USDT"]',
      '1 trades_subscribe ["A_USDT","C_USDT","D_USDT"]',
    ]);
  });

  it('wait for the response to the request before', async () => {
    const { server, exchange } = setup();
    const held: ReceivedRequest[] = [];
    server.react = (request) => held.push(request);
    exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
    await seconds(1);
    exchange.live.lastPrice({ markets: ['B_USDT'] }).subscribe();
    await seconds(1);
    exchange.live.lastPrice({ markets: ['C_USDT'] }).subscribe();
    await seconds(1);
    expect(server.script).toHaveLength(1);
    const [first] = held;
    if (first !== undefined) server.confirm(first);
    await seconds(1);
    expect(server.script.slice(1)).toEqual(['1 lastprice_subscribe ["A_USDT","B_USDT","C_USDT"]']);
  });

  it('report that they are stale after a loss, until they are confirmed, deliver, are refused, or end', async () => {
    const { server, exchange } = setup();
    const events = eventsOf(exchange, 'live-stale');
    const seen = () => events.splice(0).map(({ channel, market, stale }) => `${channel} ${market ?? '-'} ${stale}`);
    const left = exchange.live.bookTicker({ markets: ['B_USDT'] }).subscribe();
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe();
    exchange.live.trades({ markets: ['A_USDT'] }).subscribe();
    exchange.live.lastPrice({ markets: ['C_USDT'] }).subscribe({ error: () => undefined });
    await seconds(1);
    expect(seen()).toEqual([]);
    server.react = refuses(['C_USDT'], true, () => undefined);
    server.last.end();
    await ms(0);
    expect(seen().toSorted()).toEqual([
      ...['bookTicker B_USDT true', 'lastPrice C_USDT true', 'orderBook A_USDT true', 'trades A_USDT true'],
    ]);
    await seconds(1);
    expect(seen()).toEqual(['lastPrice C_USDT false']);
    left.unsubscribe();
    await ms(0);
    expect(seen()).toEqual(['bookTicker B_USDT false']);
    server.react = confirm;
    server.last.end();
    await seconds(2);
    expect(seen()).toEqual(['trades A_USDT false']);
    server.last.push('depth_update', [true, { timestamp: 1, update_id: 1, asks: [], bids: [] }, 'A_USDT']);
    await seconds(1);
    expect(seen()).toEqual(['orderBook A_USDT false']);
  });

  it('report that they are stale each time that their list is in doubt, also after an item before its confirmation', async () => {
    const { server, exchange } = setup();
    const seen: string[] = [];
    exchange.events$.subscribe((event) => {
      if (event.type === 'live-stale') seen.push(`${event.market ?? '-'} ${event.stale}`);
    });
    exchange.live
      .lastPrice({ markets: ['A_USDT'] })
      .subscribe(({ market, status }) => seen.push(`${market} ${status}`));
    await seconds(1);
    server.last.push('lastprice_update', ['A_USDT', '1']);
    server.react = ({ connection, id }) => {
      connection.refuse(id, 5, 'timeout');
    };
    exchange.live.lastPrice({ markets: ['B_USDT'] }).subscribe();
    await ms(0);
    expect(seen.splice(0)).toEqual(['A_USDT live', 'A_USDT stale', 'A_USDT true']);
    server.last.push('lastprice_update', ['A_USDT', '2']);
    await ms(0);
    expect(seen.splice(0)).toEqual(['A_USDT live', 'A_USDT false']);
    await seconds(1);
    expect(seen).toEqual(['A_USDT stale', 'A_USDT true']);
  });

  it.each([
    ['that the message names', true, ['A BAD B WORSE C', 'A B WORSE C', 'A B C']],
    [
      'that the message does not name: they are added one by one',
      false,
      ['A BAD B WORSE C', 'A', 'A BAD', 'A B', 'A B WORSE', 'A B C'],
    ],
  ])('fail for the refused markets alone, %s', async (_, isNamed, expected) => {
    const { server, exchange } = setup();
    const lists = () => server.script.map((line) => line.match(/[A-Z]+(?=_USDT)/g)?.join(' '));
    server.react = refuses(['BAD_USDT', 'WORSE_USDT'], isNamed);
    const seen = ['A_USDT', 'BAD_USDT', 'B_USDT', 'WORSE_USDT', 'C_USDT'].map((market) =>
      valuesAndErrors(exchange.live.lastPrice({ markets: [market] }), ({ price }) => `${market} ${price}`),
    );
    await seconds(5);
    const refusal = { kind: 'live-refused', code: isNamed ? 9 : 1, outcome: 'none' };
    const errors = seen.flatMap((one) => one.errors);
    expect(errors).toMatchObject(['BAD_USDT', 'WORSE_USDT'].map((key) => ({ ...refusal, key })));
    expect(lists()).toEqual(expected);
    for (const market of ['A_USDT', 'B_USDT', 'C_USDT']) server.last.push('lastprice_update', [market, '1']);
    await seconds(1);
    expect(seen.flatMap(({ values }) => values)).toEqual(['A_USDT 1', 'B_USDT 1', 'C_USDT 1']);
    for (const market of ['D_USDT', 'E_USDT']) exchange.live.lastPrice({ markets: [market] }).subscribe();
    await seconds(1);
    expect(lists()).toEqual([...expected, 'A B C D E']);
  });

  it('fail for the only market when it is refused as it is subscribed again', async () => {
    const { server, exchange } = setup();
    const errors = errorsOf(exchange.live.ticker({ markets: ['A_USDT'] }));
    await seconds(1);
    server.react = refuses(['A_USDT'], false);
    // After 10 s of silence.
    await seconds(12);
    expect(errors).toMatchObject([{ kind: 'live-refused', key: 'A_USDT' }]);
  });

  it('fail for a market that was listed before, and not for a new one in the same request', async () => {
    const { server, exchange } = setup();
    const errorsOfOld = errorsOf(exchange.live.lastPrice({ markets: ['OLD_USDT'] }));
    await ms(1000);
    server.react = refuses(['OLD_USDT'], true);
    const errorsOfNew = errorsOf(exchange.live.lastPrice({ markets: ['NEW_USDT'] }));
    await ms(5000);
    expect([errorsOfOld, errorsOfNew]).toMatchObject([[{ kind: 'live-refused', key: 'OLD_USDT' }], []]);
  });

  it('that a refusal may have dropped are made again, and their values are stale until then', async () => {
    const { server, exchange } = setup();
    const seen = collected(
      exchange.live.lastPrice({ markets: ['A_USDT'] }),
      ({ price, status }) => `${price} ${status}`,
    );
    await seconds(1);
    server.last.push('lastprice_update', ['A_USDT', '1']);
    await seconds(1);
    server.react = refuses(['BAD_USDT'], false, (request) => {
      server.confirm(request);
      request.connection.push('lastprice_update', ['A_USDT', '2']);
    });
    exchange.live.lastPrice({ markets: ['BAD_USDT'] }).subscribe({ error: () => undefined });
    await seconds(1);
    expect(server.script.slice(1)).toEqual([
      '1 lastprice_subscribe ["A_USDT","BAD_USDT"]',
      '1 lastprice_subscribe ["A_USDT"]',
    ]);
    expect(seen).toEqual(['1 live', '1 stale', '2 live']);
  });

  it('that fail again and again replace the connection', async () => {
    const { server, exchange } = setup();
    server.react = ({ connection, id }) => {
      connection.refuse(id, 3, 'unavailable');
    };
    exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
    await seconds(60);
    expect(server.connections.length).toBeGreaterThan(1);
    expect(server.requests.length).toBeLessThan(60);
  });

  it('whose end fails for the moment are ended again', async () => {
    const { server, exchange } = setup();
    exchange.live.trades({ markets: ['A_USDT'] }).subscribe();
    const prices = exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
    await seconds(1);
    server.react = ({ connection, id }) => {
      server.react = confirm;
      connection.refuse(id, 2, 'internal error');
    };
    prices.unsubscribe();
    await seconds(5);
    expect(server.script.slice(2)).toEqual(['1 lastprice_unsubscribe []', '1 lastprice_unsubscribe []']);
  });

  it('of bookTicker are right whether the exchange adds or replaces: two markets are all markets', async () => {
    const { server, exchange } = setup();
    exchange.live.bookTicker({ markets: ['A_USDT'] }).subscribe();
    await seconds(1);
    exchange.live.bookTicker({ markets: ['B_USDT'] }).subscribe();
    await seconds(1);
    expect(server.script).toEqual(['1 bookTicker_subscribe ["A_USDT"]', '1 bookTicker_subscribe []']);
  });

  it('of candles have a connection for each market and interval', async () => {
    const { server, exchange } = setup();
    exchange.live.candles({ market: 'A_USDT', interval: '1m' }).subscribe();
    exchange.live.candles({ market: 'A_USDT', interval: '1h' }).subscribe();
    exchange.live.candles({ market: 'A_USDT', interval: '1h' }).subscribe();
    exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
    await seconds(1);
    expect([...server.script].sort()).toEqual([
      '1 candles_subscribe ["A_USDT",60]',
      '2 candles_subscribe ["A_USDT",3600]',
      '3 lastprice_subscribe ["A_USDT"]',
    ]);
  });

  it('of invalid parameters fail before anything is opened', () => {
    const { server, exchange } = setup();
    const { live } = exchange;
    expect(() => live.trades({ markets: [] })).toThrow('live.trades: markets must be an array of at least one market');
    expect(() => live.lastPrice({ markets: ['BTCUSDT'] })).toThrow('"BTCUSDT" must be a market such as "BTC_USDT"');
    // @ts-expect-error 25 is no limit of the exchange.
    expect(() => live.orderBook({ market: 'A_USDT', limit: 25 })).toThrow('limit 25 must be one of 1, 5, 10');
    // @ts-expect-error The exchange has no candles of 2 minutes.
    expect(() => live.candles({ market: 'A_USDT', interval: '2m' })).toThrow('interval "2m" must be one of 1s, 10s');
    expect(server.connections).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
