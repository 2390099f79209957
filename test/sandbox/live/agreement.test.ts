// Every channel shows the market that the REST routes show.
import { describe, expect, it } from 'vitest';
import { read, sendRaw } from '../../contract/setup.js';
import { doors, type World } from './doors.js';

const market = 'BTC_USDT';
const perpetual = 'BTC_PERP';

/** A market that was traded for half an hour. */
async function traded(): Promise<World> {
  const world = await doors['in process']({
    ...{ volatility: 0.0005, tickMs: 5000, history: 0 },
    markets: [
      { name: market, price: '60000', minAmount: '0.0001' },
      { name: perpetual, price: '60010' },
    ],
  });
  for (let minute = 0; minute < 30; minute += 1) {
    const order = { market, side: minute % 3 === 0 ? 'sell' : 'buy', amount: '1.25' };
    await sendRaw(world, '/api/v4/order/stock_market', order);
    world.sandbox.clock.advance(60_000);
  }
  return world;
}

const shared = traded();

/** A connection that is not subscribed yet. */
async function world(opened = shared) {
  const { sandbox, connect } = await opened;
  const client = await connect();
  /** The response of a query. */
  const query = async (method: string, params: readonly unknown[]) =>
    (await client.request(method, params)).at(-1)?.result;
  /** The parameters of the newest message of a channel, a second after the subscription. */
  const stream = async (channel: string, params: readonly unknown[]) => {
    const frames = await client.request(`${channel}_subscribe`, params);
    sandbox.clock.advance(1000);
    frames.push(...(await client.rest()));
    return frames.findLast(({ method }) => method === `${channel}_update`)?.params ?? [];
  };
  return { sandbox, query, stream };
}

type Tickers = Record<string, { last_price: string; base_volume: string; quote_volume: string; change: string }>;
interface Book {
  readonly asks: [string, string][];
  readonly bids: [string, string][];
}

describe('a traded market', () => {
  it('prices and statistics agree with the ticker', async () => {
    const { sandbox, query, stream } = await world(traded());
    const [, price] = await stream('lastprice', [market]);
    const [, day] = await stream('market', [market]);
    const [, today] = await stream('marketToday', [market]);
    const ticker = (await read<Tickers>(sandbox, '/api/v4/public/ticker'))[market];
    const { last_price: last, base_volume: volume, quote_volume: deal } = ticker ?? {};
    expect(price).toBe(last);
    expect(day).toMatchObject({ period: 86_400, last, close: last, open: '60000', volume, deal });
    // The sandbox began today.
    expect(today).toMatchObject({ last, open: '60000', volume, deal });
    expect(await query('lastprice_request', [market])).toBe(last);
    expect(await query('market_request', [market, 86_400])).toEqual(day);
    expect(await query('market_request', [market, 3600])).toMatchObject({ last, open: '60000', volume, deal });
    expect(await query('marketToday_query', [market])).toEqual(today);
  });

  it.each(['1s', '1m', '5m', '1h'])('candles of %s agree with those over REST', async (interval) => {
    const { sandbox, query } = await world();
    const seconds = Number.parseInt(interval, 10) * { s: 1, m: 60, h: 3600 }[interval.slice(-1) as 's'];
    const start = sandbox.clock.now() / 1000 - 900;
    const candles = await query('candles_request', [market, start, start + 600, seconds]);
    const path = `/api/v1/public/kline?market=${market}&interval=${interval}&start=${start}&end=${start + 600}&limit=1440`;
    const { result } = await read<{ result: unknown[][] }>(sandbox, path);
    expect(candles).toEqual(result.map((row) => [...row, market]));
    if (interval !== '1h') expect(result.length).toBeGreaterThan(1);
  });

  it('trades agree with the recent trades', async () => {
    const { sandbox, query, stream } = await world();
    const [, trades] = (await stream('trades', [market])) as [string, { id: number; time: number }[]];
    const recent = await read<Record<string, unknown>[]>(sandbox, `/api/v4/public/trades/${market}`);
    const named = recent.map(({ tradeID: id, price, quote_volume: amount, type, rpi }) => {
      return { id, price, amount, type, rpi };
    });
    const queried = (await query('trades_request', [market, 100, 0])) as Record<string, unknown>[];
    expect(queried.map(({ time: _time, ...trade }) => trade)).toEqual(named);
    const ids = sandbox
      .market(market)
      .trades()
      .map(({ id }) => id);
    expect(trades.every(({ id }) => ids.includes(id))).toBe(true);
  });

  it.each([1, 5, 100])('the first %i levels agree with the order book', async (limit) => {
    const { sandbox, query, stream } = await world();
    const [isFull, data] = (await stream('depth', [market, limit, '0', true])) as [boolean, Book];
    const { asks, bids } = await read<Book>(sandbox, `/api/v4/public/orderbook/${market}?limit=${limit}`);
    expect(await query('depth_request', [market, limit, '0'])).toMatchObject({ asks, bids });
    if (isFull) expect(data).toMatchObject({ asks, bids });
    const grouped = await read<Book>(sandbox, `/api/v4/public/orderbook/${market}?limit=${limit}&level=1`);
    const ofTenths = { asks: grouped.asks, bids: grouped.bids };
    expect(await query('depth_request', [market, limit, '0.1'])).toMatchObject(ofTenths);
  });

  it('the best offers and the premium index agree with the order book and the perpetuals', async () => {
    const { sandbox, stream } = await world();
    const [tuple] = (await stream('bookTicker', [market])) as [unknown[]];
    const { asks, bids } = await read<Book>(sandbox, `/api/v4/public/orderbook/${market}?limit=1`);
    expect(tuple.slice(4)).toEqual([...(bids[0] ?? []), ...(asks[0] ?? [])]);
    expect(sandbox.ledger.live.bookAt(market, Number(tuple[3]), 1)).toEqual({ asks, bids });

    const record = await stream('premiumIndex', [perpetual]);
    const { result } = await read<{ result: Record<string, string>[] }>(sandbox, '/api/v4/public/futures');
    const [{ mark_price, index_price, funding_rate, next_funding_rate_timestamp } = {}] = result;
    expect(record.slice(0, 5)).toEqual([
      ...[perpetual, mark_price, index_price, funding_rate],
      Number(next_funding_rate_timestamp),
    ]);
  });
});
