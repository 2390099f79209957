// The summary of `npm start`: whether the responses to the orders explain the balances in the ledger.
import { createExchange, type HistoricalOrder } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, lastValueFrom, takeUntil, timer } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { reconcile } from '../../src/cli/demo/reconcile.js';
import { requestStatistics } from '../../src/cli/demo/request-statistics.js';
import { summarize } from '../../src/cli/demo/summary.js';

const order = (side: 'buy' | 'sell', deal_money: string, deal_fee: string) =>
  ({ market: 'BTC_USDT', side, deal_stock: '0.1', deal_money, deal_fee }) as HistoricalOrder;
const bought = order('buy', '6000', '6');
const sold = order('sell', '6100', '6.1');
const before = { BTC: '1', USDT: '10000' };
const after = { BTC: '1', USDT: '10087.9' };
const bot = { trades: [], prices: [] };
const statistics = { requests: {}, retried: 0, found: 0, latencies: [] };

describe('the summary', () => {
  it('is reconciled when the orders explain the balances to the last decimal', () => {
    const assets = reconcile(before, after, [bought, sold]);
    expect(assets.map(({ asset, traded, agrees }) => [asset, traded, agrees])).toEqual([
      ['BTC', '0', true],
      ['USDT', '87.9', true],
    ]);
    expect(summarize(bot, statistics, assets, true).value).toContain('\nReconciled: ');
  });

  it.each([
    ['an order that only the ledger has', before, after, [bought]],
    ['a difference in the last decimal', before, { ...after, USDT: '10087.90000001' }, [bought, sold]],
    ['an asset that no order traded', before, { ...after, XLM: '1' }, [bought, sold]],
  ])('is not reconciled with %s', (_, ledgerBefore, ledgerAfter, orders) => {
    const assets = reconcile(ledgerBefore, ledgerAfter, orders);
    expect(assets.some(({ agrees }) => !agrees)).toBe(true);
    const text = summarize(bot, statistics, assets, true).value;
    expect(text).toContain('DIFFERENT');
    expect(text).toContain('NOT RECONCILED');
  });

  it('is not reconciled when the main balance changed, which the bot never uses', () => {
    const text = summarize(bot, statistics, reconcile(before, after, [bought, sold]), false).value;
    expect(text).toContain('Main balance: CHANGED');
    expect(text).toContain('NOT RECONCILED');
  });
});

describe('the statistics of requests', () => {
  it('count the requests of each rate limit as the ledger has them, and the retries, also of a rejected limit', async () => {
    vi.useFakeTimers();
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange({ ...sandbox.clientOptions(), maxInFlight: 1 });
    const counted = lastValueFrom(requestStatistics(exchange.events$).pipe(takeUntil(timer(120_000))));
    sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', status: 503, times: 1 });
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance', status: 429, times: 1 });
    const calls = [exchange.public.ping(), exchange.account.mainBalance(), exchange.public.markets()];
    const outputs = Promise.all(calls.map((call) => firstValueFrom<unknown>(call)));
    await vi.advanceTimersByTimeAsync(120_000);
    await outputs;
    vi.useRealTimers();
    const { requests, retried, found, latencies } = await counted;
    const sent = sandbox.ledger.requests.length;
    expect(Object.values(requests).reduce((sum, count) => sum + count, 0)).toBe(sent);
    expect({ retried, found, responses: latencies.length }).toEqual({ retried: 2, found: 0, responses: sent });
  });
});
