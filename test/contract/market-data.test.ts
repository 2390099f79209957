// The public endpoints of the SDK against the routes of the sandbox.
import { createExchange, unreadableIn, type Exchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, type Observable } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';

const market = 'BTC_USDT';
const future = 'BTC_PERP';
const dayMs = 24 * 60 * 60 * 1000;

describe('market data', () => {
  let exchange: Exchange;
  /** A day after an order. */
  beforeAll(async () => {
    const sandbox = createSandbox({
      ...{ clock: 'manual', volatility: 0 },
      markets: [
        { name: market, price: '60000' },
        { name: future, price: '60000' },
      ],
    });
    exchange = createExchange({ ...sandbox.clientOptions(), now: () => sandbox.clock.now(), retry: false });
    await firstValueFrom(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.02' }));
    sandbox.clock.advance(dayMs);
  });
  const read = async <Output>(call: (client: Exchange) => Observable<Output>) => firstValueFrom(call(exchange));

  it('every response is read whole', async () => {
    const outputs = [
      await read((client) => client.public.platformStatus()),
      await read((client) => client.public.tickers()),
      await read((client) => client.public.assets()),
      await read((client) => client.public.assetFees()),
      await read((client) => client.public.collateralMarkets()),
      await read((client) => client.public.futuresMarkets()),
      await read((client) => client.public.fundingRateHistory({ market: future })),
      await read((client) => client.public.miningPool()),
      await read((client) => client.public.orderBook({ market })),
      await read((client) => client.public.marketDepth({ market })),
      await read((client) => client.public.recentTrades({ market })),
      await read((client) => client.public.candles({ market })),
    ];
    expect(outputs.map(unreadableIn)).toEqual(outputs.map(() => undefined));
    for (const output of outputs) expect(Object.keys(output)).not.toEqual([]);
  });

  it('the exchange is operational', async () => {
    expect(await read((client) => client.public.platformStatus())).toEqual({ status: 'system operational' });
  });

  it('the newest trade has the price of the ticker and of the last candle', async () => {
    const [newest] = await read((client) => client.public.recentTrades({ market }));
    const tickers = await read((client) => client.public.tickers());
    const candles = await read((client) => client.public.candles({ market }));
    expect(tickers[market]?.last_price).toBe(newest?.price);
    expect(candles.at(-1)?.close).toBe(newest?.price);
    for (const { open, high, low, close } of candles) {
      expect(Number(high)).toBeGreaterThanOrEqual(Math.max(Number(open), Number(close)));
      expect(Number(low)).toBeLessThanOrEqual(Math.min(Number(open), Number(close)));
    }
  });

  it('the amount of a trade is in the base currency', async () => {
    const trades = await read((client) => client.public.recentTrades({ market, type: 'buy' }));
    expect(trades.map(({ quote_volume: amount }) => amount)).toContain('0.02');
    for (const { price, quote_volume: amount, base_volume: total, type } of trades) {
      expect(Number(total)).toBeCloseTo(Number(price) * Number(amount), 6);
      expect(type).toBe('buy');
    }
  });

  it('the order book is sorted, and the best part of the depth', async () => {
    const book = await read((client) => client.public.orderBook({ market, limit: 3 }));
    const depth = await read((client) => client.public.marketDepth({ market }));
    for (const side of ['asks', 'bids'] as const) {
      expect(book[side]).toHaveLength(3);
      expect(depth[side].slice(0, 3)).toEqual(book[side]);
    }
    const prices = [...book.bids.toReversed(), ...book.asks].map(([price]) => Number(price));
    expect(prices).toEqual(prices.toSorted((one, other) => one - other));
  });

  it('a page of funding rates goes on where the page before ended', async () => {
    const rates = await read((client) => client.public.fundingRateHistory({ market: future }));
    const [second] = await read((client) => client.public.fundingRateHistory({ market: future, limit: 1, offset: 1 }));
    expect(rates.length).toBeGreaterThan(1);
    expect(second).toEqual(rates[1]);
  });

  it.each<[string, string, (exchange: Exchange) => Observable<unknown>]>([
    ['orderBook', 'market', (client) => client.public.orderBook({ market: 'NONE_USDT' })],
    ['marketDepth', 'market', (client) => client.public.marketDepth({ market: 'NONE_USDT' })],
    ['recentTrades', 'market', (client) => client.public.recentTrades({ market: 'NONE_USDT' })],
    ['fundingRateHistory', 'market', (client) => client.public.fundingRateHistory({ market: 'NONE_PERP' })],
    ['candles', 'market', (client) => client.public.candles({ market: 'NONE_USDT' })],
  ])('%s of a market that the exchange does not have is rejected for its %s', async (_, reason, call) => {
    expect(await failureOf(call(exchange))).toMatchObject({ kind: 'api', reason, outcome: 'rejected' });
  });
});
