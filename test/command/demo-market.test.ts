// The market of `npm start`: its book and candles by the live connection, and the closed candles by requests.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchMarket, type MarketView } from '../../src/cli/demo/market.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(market: string) {
  const sandbox = createSandbox({ volatility: 0, markets: [{ name: market, price: '60000' }] });
  const exchange = createExchange(sandbox.clientOptions());
  const views: MarketView[] = [];
  const errors: unknown[] = [];
  const watch = (client = exchange) =>
    watchMarket(client, '1s').subscribe({
      next: (view) => views.push(view),
      error: (error: unknown) => errors.push(error),
    });
  return { sandbox, exchange, views, errors, watch };
}

describe('the market of the demo', () => {
  it('has the live book and the last candles, and goes on while candles cannot be read', async () => {
    const { sandbox, views, errors, watch } = start('BTC_USDT');
    sandbox.fault({ kind: 'status', path: '/api/v1/public/kline' });
    const subscription = watch();
    await vi.advanceTimersByTimeAsync(12_000);
    expect(views.at(-1)?.book).toMatchObject({ market: 'BTC_USDT', status: 'live' });
    expect(views.at(-1)?.candles.length).toBeGreaterThan(5);
    expect(errors).toEqual([]);
    subscription.unsubscribe();
  });

  it('shows nothing of a market that the exchange refuses', async () => {
    const { views, errors, watch } = start('ETH_USDT');
    const subscription = watch();
    await vi.advanceTimersByTimeAsync(12_000);
    expect(views.at(-1)).toEqual({ interval: '1s', book: undefined, candles: [] });
    expect(errors).toEqual([]);
    subscription.unsubscribe();
  });

  it('does not hide a bug of the program', () => {
    const { exchange, errors, watch } = start('BTC_USDT');
    const fault = new Error('a defect');
    watch({ ...exchange, live: { ...exchange.live, orderBook: () => throwError(() => fault) } });
    watch({ ...exchange, public: { ...exchange.public, candles: () => throwError(() => fault) } });
    expect(errors).toEqual([fault, fault]);
  });
});
