// A feed: the price follows a user's trades or candles, the public endpoints show them, and orders that they reach trade.
import { createExchange } from 'exchange-rx';
import {
  createSandbox,
  type FeedCandle,
  type MarketFeed,
  type Sandbox,
  type SandboxOptions,
} from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';

const market = 'BTC_USDT';
const minuteMs = 60_000;

function open(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ clock: 'manual', history: 0, ...options });
  const exchange = createExchange({ ...sandbox.clientOptions(), now: () => sandbox.clock.now(), retry: false });
  const { public: data, spot, collateral } = exchange;
  /** Plays the feed to its end. */
  const play = (feed: MarketFeed) => {
    const times = sandbox.market(market).feed(feed);
    sandbox.clock.advance(times.endsAt - sandbox.clock.now());
    return times;
  };
  const bid = (price: string, amount = '0.1') =>
    firstValueFrom(spot.placeLimitOrder({ market, side: 'buy', amount, price }));
  const ask = (price: string, amount = '0.1') =>
    firstValueFrom(spot.placeLimitOrder({ market, side: 'sell', amount, price }));
  return { sandbox, data, spot, collateral, play, bid, ask };
}

/** The trades of others since the market opened: at, side, price and amount. */
const tapeOf = (sandbox: Sandbox) =>
  sandbox
    .market(market)
    .trades()
    .slice(1)
    .map(({ at, side, price, amount }) => ({ at, side, price, amount }));

const ordersOf = ({ ledger }: Sandbox) => ledger.orders.map(({ status, deal_stock }) => `${status} ${deal_stock}`);

describe('a feed of trades', () => {
  const trades = [
    { at: 1_000_000, price: '60100', amount: '0.5' },
    { at: 1_001_500, price: '59900.5', amount: '0.25' },
    { at: 1_001_500, price: '59950', amount: '0.000001', side: 'sell' as const },
  ];

  it('moves the price at the distances of its trades, and is the tape of the market', async () => {
    const { sandbox, data } = open();
    const now = sandbox.clock.now();
    expect(sandbox.market(market).feed({ trades })).toEqual({ startsAt: now, endsAt: now + 1500 });
    expect(sandbox.market(market).price()).toBe('60100');
    sandbox.clock.advance(1499);
    expect(sandbox.market(market).price()).toBe('60100');
    sandbox.clock.advance(1);
    expect(sandbox.market(market).price()).toBe('59950');
    expect(tapeOf(sandbox)).toEqual([
      { at: now, side: 'buy', price: '60100', amount: '0.5' },
      { at: now + 1500, side: 'sell', price: '59900.5', amount: '0.25' },
      { at: now + 1500, side: 'sell', price: '59950', amount: '0.000001' },
    ]);
    const tickers = await firstValueFrom(data.tickers());
    expect(tickers[market]).toMatchObject({ last_price: '59950', base_volume: '0.750101' });
    const { asks, bids } = await firstValueFrom(data.orderBook({ market, limit: 1 }));
    expect([Number(bids[0]?.[0]) < 59_950, Number(asks[0]?.[0]) > 59_950]).toEqual([true, true]);
  });

  it('begins at startAt, and until then and after its end the price stands still', () => {
    const { sandbox } = open({ volatility: 0.01 });
    const startAt = sandbox.clock.now() + minuteMs;
    sandbox.market(market).feed({ trades: trades.slice(0, 1), startAt });
    sandbox.clock.advance(minuteMs - 1);
    expect([sandbox.market(market).price(), tapeOf(sandbox)]).toEqual(['60000', []]);
    sandbox.clock.advance(60 * minuteMs);
    expect([sandbox.market(market).price(), tapeOf(sandbox).length]).toEqual(['60100', 1]);
  });

  it('is the same however often the clock is advanced', async () => {
    const run = async (stepMs: number) => {
      const { sandbox, bid } = open();
      await bid('59920');
      sandbox.market(market).feed({ trades });
      for (let passed = 0; passed < 3000; passed += stepMs) sandbox.clock.advance(stepMs);
      const { fills } = sandbox.ledger;
      return [sandbox.market(market).trades(), fills.map(({ at, price, amount }) => [at, price, amount])];
    };
    expect(await run(100)).toEqual(await run(3000));
  });

  it('is followed by another one when it is over, and not before', () => {
    const { sandbox, play } = open();
    const feed = { trades };
    sandbox.market(market).feed(feed);
    expect(() => sandbox.market(market).feed(feed)).toThrow(`market.feed: ${market} still plays the feed before`);
    sandbox.clock.advance(1500);
    play({ trades: [{ at: 0, price: '61000', amount: '1' }] });
    expect(sandbox.market(market).price()).toBe('61000');
  });

  it('leaves other markets alone, and is the index of the perpetual', async () => {
    const markets = ['BTC_USDT', 'BTC_PERP', 'ETH_USDT'].map((name) => ({ name, price: '60000' }));
    const { sandbox, data, play } = open({ volatility: 0, markets });
    play({ trades });
    const [perpetual] = await firstValueFrom(data.futuresMarkets());
    expect(perpetual).toMatchObject({ index_price: '59950', last_price: '60000' });
    expect(sandbox.market('ETH_USDT').price()).toBe('60000');
  });
});

describe('an order that a feed reaches', () => {
  const trade = (price: string, side: 'buy' | 'sell', amount = '0.04') => ({
    trades: [{ at: 0, price, side, amount }],
  });

  it('is filled at its own price by a trade that passes it, whatever the amount of the trade', async () => {
    const { sandbox, play, bid } = open({ volatility: 0 });
    await bid('59000');
    play(trade('58999.99', 'buy', '0.000001'));
    expect(sandbox.ledger.fills).toMatchObject([{ role: 'maker', price: '59000', amount: '0.1' }]);
    expect(ordersOf(sandbox)).toEqual(['FILLED 0.1']);
  });

  it('is filled by trades at its price as far as their amount goes, which is no trade of others then', async () => {
    const { sandbox, play, bid } = open({ volatility: 0 });
    await bid('59000');
    play(trade('59000', 'sell'));
    expect(ordersOf(sandbox)).toEqual(['PARTIAL_FILLED 0.04']);
    play(trade('59000', 'sell', '0.1'));
    expect(ordersOf(sandbox)).toEqual(['FILLED 0.1']);
    expect(tapeOf(sandbox).map(({ price, amount }) => `${amount} at ${price}`)).toEqual([
      '0.04 at 59000',
      '0.06 at 59000',
      '0.04 at 59000',
    ]);
  });

  it('is not filled by a taker of its own side, at its price or before it', async () => {
    const { sandbox, play, bid, ask } = open({ volatility: 0 });
    await bid('59000');
    await ask('61000');
    play(trade('59000', 'buy'));
    play(trade('61000', 'sell'));
    play(trade('60000', 'sell'));
    expect(ordersOf(sandbox)).toEqual(['NEW 0', 'NEW 0']);
  });

  it('is filled after the orders with a better price, and those that were there before', async () => {
    const { sandbox, play, ask } = open({ volatility: 0 });
    for (const price of ['61000', '60900', '61000']) await ask(price, '0.03');
    play(trade('61000', 'buy', '0.04'));
    expect(ordersOf(sandbox)).toEqual(['FILLED 0.03', 'FILLED 0.03', 'PARTIAL_FILLED 0.01']);
  });

  it('is triggered as a stop order, and trades with the book around the price', async () => {
    const { sandbox, play, spot } = open({ volatility: 0 });
    const stop = { market, side: 'sell', amount: '0.1', activation_price: '59000' } as const;
    await firstValueFrom(spot.placeStopMarketOrder(stop));
    play(trade('59000.01', 'sell'));
    expect(ordersOf(sandbox)).toEqual(['NEW 0']);
    play(trade('59000', 'sell'));
    expect(sandbox.ledger.fills).toMatchObject([{ role: 'taker', price: '58985.25', amount: '0.1' }]);
  });

  it('closes no more than its position when it may only reduce one', async () => {
    const { sandbox, play, collateral } = open({ volatility: 0 });
    await firstValueFrom(collateral.placeMarketOrder({ market, side: 'buy', amount: '0.05' }));
    const close = { market, side: 'sell', price: '61000', reduceOnly: true } as const;
    await firstValueFrom(collateral.placeLimitOrder({ ...close, amount: '0.05' }));
    await firstValueFrom(collateral.placeLimitOrder({ ...close, amount: '0.05' }));
    play(trade('61001', 'buy'));
    expect(ordersOf(sandbox)).toEqual(['FILLED 0.05', 'FILLED 0.05', 'AUTO_CANCELED_REDUCE_ONLY 0']);
  });

  it('liquidates a position below its maintenance margin', async () => {
    const accounts = [{ name: 'main', balances: { collateral: { USDT: '1000' } } }];
    const { sandbox, play, collateral } = open({ volatility: 0, accounts });
    await firstValueFrom(collateral.placeMarketOrder({ market, side: 'buy', amount: '0.15' }));
    play(trade('53000', 'sell'));
    expect(sandbox.ledger.orders.at(-1)?.client_order_id).toMatch(/^liquidation_/);
  });
});

describe('a feed of candles', () => {
  const rising = { time: 600, open: '60000', high: '60200', low: '59900', close: '60100', volume: '4' };
  const falling = { time: 660, open: '60100', high: '60150', low: '59000', close: '59500', volume: '0.000007' };

  it('trades at each price of a candle, against its direction first', () => {
    const { sandbox, play } = open();
    const now = sandbox.clock.now();
    const startsAt = now + minuteMs;
    expect(play({ interval: '1m', candles: [rising, falling] })).toEqual({ startsAt, endsAt: now + 3 * minuteMs });
    expect(tapeOf(sandbox).map(({ at, side, price, amount }) => [(at - startsAt) / 1000, side, price, amount])).toEqual(
      [
        [0, 'buy', '60000', '1'],
        [15, 'sell', '59900', '1'],
        [30, 'buy', '60200', '1'],
        [45, 'sell', '60100', '1'],
        [60, 'buy', '60100', '0.000001'],
        [75, 'buy', '60150', '0.000001'],
        [90, 'sell', '59000', '0.000001'],
        [105, 'buy', '59500', '0.000004'],
      ],
    );
  });

  it('begins at the next begin of an interval', () => {
    const { sandbox } = open();
    const now = sandbox.clock.now();
    sandbox.clock.advance(minuteMs);
    const { startsAt, endsAt } = sandbox.market(market).feed({ interval: '1h', candles: [rising] });
    expect([startsAt, endsAt]).toEqual([now + 60 * minuteMs, now + 120 * minuteMs]);
  });

  it('keeps the gaps between its candles, and trades nothing in a candle without volume', async () => {
    const { sandbox, data, play } = open();
    const still = { open: '60100', high: '60100', low: '60100', close: '60100', volume: '0' };
    play({ interval: '1m', candles: [rising, { ...still, time: 660 }, { ...rising, time: 780 }] });
    expect(tapeOf(sandbox)).toHaveLength(8);
    const candles = await firstValueFrom(data.candles({ market, interval: '1m', limit: 4 }));
    expect(candles.map(({ volume }) => volume)).toEqual(['4', '0', '0', '4']);
  });

  it('becomes the candles of the market', async () => {
    const price = fc.integer({ min: 5_900_000, max: 6_100_000 });
    const anyCandle = fc.record({
      prices: fc.tuple(price, price, price, price),
      steps: fc.integer({ min: 4, max: 9_000_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyCandle, { minLength: 1, maxLength: 20 }), async (drawn) => {
        const candles = drawn.map(({ prices, steps }, index): FeedCandle => {
          const [first, last] = prices;
          const text = (cents: number) => String(cents / 100);
          return {
            time: 1_700_000_100 + index * 300,
            ...{ open: text(first), high: text(Math.max(...prices)) },
            ...{ low: text(Math.min(...prices)), close: text(last) },
            volume: String(steps / 1e6),
          };
        });
        const { data, sandbox, play } = open({ tickMs: 10_000, markets: [{ name: market, price: '60000' }] });
        sandbox.clock.advance(300_000);
        const { startsAt } = play({ interval: '5m', candles });
        const shown = await firstValueFrom(data.candles({ market, interval: '5m', limit: candles.length }));
        const offset = startsAt / 1000 - 1_700_000_100;
        expect(shown.map(({ money_volume: _total, ...candle }) => candle)).toEqual(
          candles.map((candle) => ({ ...candle, time: candle.time + offset })),
        );
        expect(sandbox.market(market).price()).toBe(candles.at(-1)?.close);
      }),
      { numRuns: 12 },
    );
  });

  it('plays back the candles that a client has read', async () => {
    const recorded = open({ seed: 5, tickMs: 5000 });
    recorded.sandbox.clock.advance(61 * minuteMs);
    const candles = await firstValueFrom(recorded.data.candles({ market, interval: '1m', limit: 60 }));
    const { data, play } = open({ markets: [{ name: market, price: candles[0]?.open ?? '' }] });
    play({ interval: '1m', candles });
    const replayed = await firstValueFrom(data.candles({ market, interval: '1m', limit: 60 }));
    expect(replayed.map(({ open: first, high, low, close }) => [first, high, low, close])).toEqual(
      candles.map(({ open: first, high, low, close }) => [first, high, low, close]),
    );
  });
});

describe('market.feed rejects', () => {
  const trade = { at: 5, price: '60000', amount: '1' };
  const candle = { time: 600, open: '60000', high: '60200', low: '59900', close: '60100', volume: '4' };
  const candles = (...changes: object[]) => ({
    interval: '1m',
    candles: changes.map((change) => ({ ...candle, ...change })),
  });

  it.each<[object, string]>([
    [{}, 'either trades or candles are required'],
    [{ trades: [trade], candles: [candle], interval: '1m' }, 'either trades or candles are required'],
    [{ trades: [] }, 'trades must not be empty'],
    [{ trades: [trade], interval: '1m' }, 'interval is a field of candles'],
    [{ candles: [candle] }, 'interval is required for candles'],
    [{ candles: [candle], interval: '1M' }, 'interval "1M" must be one of 1s'],
    [{ trades: [trade], start: 1 }, 'start is unknown; known: trades, candles, interval, startAt'],
    [{ trades: [trade], startAt: 5 }, 'startAt 5 is before now (1767225600000)'],
    [{ ...candles({}), startAt: 1_767_225_600_001 }, 'startAt 1767225600001 is no begin of a candle of 1m'],
    [{ trades: [{ ...trade, price: 60_000 }] }, 'trades.0.price 60000 must be a decimal string above 0'],
    [{ trades: [{ ...trade, amount: '0' }] }, 'trades.0.amount "0" must be a decimal string above 0'],
    [{ trades: [{ ...trade, side: 'long' }] }, 'trades.0.side "long" must be one of buy, sell'],
    [{ trades: [{ ...trade, id: 1 }] }, 'trades.0.id is unknown'],
    [{ trades: [trade, { ...trade, at: 4 }] }, 'trades.1.at 4 is before the trade before it (5)'],
    [{ trades: [{ ...trade, price: '60000.001' }] }, 'trades.0.price "60000.001" must be a multiple of 0.01'],
    [{ trades: [{ ...trade, amount: '0.0000001' }] }, 'trades.0.amount "0.0000001" must be a multiple of 0.000001'],
    [candles({ high: '60050' }), 'candles.0.high "60050" is below its close'],
    [candles({ low: '60050' }), 'candles.0.low "60050" is above its open'],
    [candles({ volume: '0.000003' }), 'candles.0.volume "0.000003" is less than 0.000004, the minimum for its prices'],
    [candles({ volume: '0' }), 'candles.0.volume "0" is less than 0.000004'],
    [candles({}, { time: 600 }), 'candles.1.time 600 is not after the candle before it by a multiple of 1m'],
    [candles({}, { time: 690 }), 'candles.1.time 690 is not after the candle before it by a multiple of 1m'],
    [candles({ time: '600' }), 'candles.0.time "600" must be an integer of 0 or more'],
  ])('%j', (feed, problem) => {
    const { sandbox } = open();
    expect(() => sandbox.market(market).feed(feed)).toThrow(`market.feed: ${problem}`);
    sandbox.clock.advance(minuteMs);
    expect(sandbox.market(market).price()).not.toBe('60000');
  });
});
