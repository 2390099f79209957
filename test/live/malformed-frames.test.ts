// Malformed frames of every channel: no bare error, and nobody else's stream disturbed.
import fc from 'fast-check';
import { config, type Observable } from 'rxjs';
import { isExchangeError, type Exchange, type LiveStatus } from 'exchange-rx';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { changed, frame$ } from './malformed.js';
import { onFakeTime, seconds, setup } from './setup.js';

const market = 'BTC_USDT';
const markets = [market];

interface Case {
  readonly name: string;
  /** The prefix of its methods. */
  readonly method: string;
  /** The params of a valid push. */
  readonly params: unknown;
  readonly stream: (exchange: Exchange) => Observable<unknown>;
}

const level = ['100', '1'];
const statistics = { last: '5', open: '4', high: '6', low: '3', volume: '7', deal: '30' };
const cases: readonly Case[] = [
  {
    name: 'trades',
    method: 'trades',
    params: [market, [{ id: 1, time: 1.5, price: '1', amount: '1', type: 'buy', rpi: false }]],
    stream: ({ live }) => live.trades({ markets }),
  },
  {
    name: 'orderBook',
    method: 'depth',
    params: [true, { timestamp: 1, update_id: 10, asks: [['101', '1']], bids: [level], event_time: 1 }, market],
    stream: ({ live }) => live.orderBook({ market }),
  },
  {
    name: 'bookTicker',
    method: 'bookTicker',
    params: [[1.5, 1.6, market, 31, '60012.5', '9.31', '60012.6', '0.2']],
    stream: ({ live }) => live.bookTicker({ markets }),
  },
  {
    name: 'lastPrice',
    method: 'lastprice',
    params: [market, '60012.5'],
    stream: ({ live }) => live.lastPrice({ markets }),
  },
  {
    name: 'ticker',
    method: 'market',
    params: [market, statistics],
    stream: ({ live }) => live.ticker({ markets }),
  },
  {
    name: 'today',
    method: 'marketToday',
    params: [market, statistics],
    stream: ({ live }) => live.today({ markets }),
  },
  {
    name: 'premiumIndex',
    method: 'premiumIndex',
    params: [market, '60010.8', '60024.5', '0.00006382', 1795334400000, 1795316400.51],
    stream: ({ live }) => live.premiumIndex({ markets }),
  },
  {
    name: 'candles',
    method: 'candles',
    params: [[1767225600, '60000', '59970', '60030', '59970', '3.0001', '180036', market]],
    stream: ({ live }) => live.candles({ market, interval: '1m' }),
  },
];

/** 50,000 for each channel with FRAMES=50000. */
const frames = Number(process.env['FRAMES'] ?? 1500);

describe('malformed frames', () => {
  onFakeTime();

  it.each(cases)(
    'of $name throw nothing, and leave the other channels alone',
    async ({ name, method, params, stream }) => {
      const unhandled = vi.fn();
      config.onUnhandledError = unhandled;
      onTestFinished(() => {
        config.onUnhandledError = null;
      });
      const { server, exchange } = setup();
      /** Where a channel is subscribed: some have a connection of their own. */
      const connectionOf = (prefix: string) =>
        server.requests.findLast((request) => request.method === `${prefix}_subscribe`)?.connection ?? server.last;
      const errors: unknown[] = [];
      const seen: unknown[] = [];
      const prices: string[] = [];
      const noError = (error: unknown) => errors.push(error);
      stream(exchange).subscribe({ next: (value) => seen.push(value), error: noError });
      const other: Observable<LiveStatus> =
        name === 'lastPrice' ? exchange.live.ticker({ markets }) : exchange.live.lastPrice({ markets });
      other.subscribe({ next: ({ status }) => prices.push(status), error: noError });
      await seconds(1);
      for (const frame of fc.sample(frame$, { numRuns: frames, seed: 11 })) {
        if (!connectionOf(method).isOpen) await seconds(20);
        if ('text' in frame) connectionOf(method).frame(frame.text);
        else connectionOf(method).push(`${method}_update`, changed(params, frame.path, frame.replacement));
        await Promise.resolve();
        await Promise.resolve();
      }
      await seconds(60);
      seen.length = 0;
      prices.length = 0;
      connectionOf(method).push(`${method}_update`, params);
      if (name === 'lastPrice') connectionOf('market').push('market_update', [market, statistics]);
      else connectionOf('lastprice').push('lastprice_update', [market, '7']);
      await seconds(1);
      expect(errors.filter((error) => !isExchangeError(error))).toEqual([]);
      expect(errors).toEqual([]);
      expect(unhandled).not.toHaveBeenCalled();
      expect(prices).toEqual(['live']);
      if (method !== 'trades') expect(seen).toMatchObject([{ status: 'live' }]);
    },
  );
});
