// What `npm start` says at its end: whether the orders' answers, which are all that the bot knows, explain the ledger's
// balances.
import type { HistoricalOrder } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { reconcile } from '../../src/cli/demo/reconcile.js';
import { summarize } from '../../src/cli/demo/summary.js';

const bought = {
  market: 'BTC_USDT',
  side: 'buy',
  deal_stock: '0.1',
  deal_money: '6000',
  deal_fee: '6',
} as HistoricalOrder;
const sold = {
  market: 'BTC_USDT',
  side: 'sell',
  deal_stock: '0.1',
  deal_money: '6100',
  deal_fee: '6.1',
} as HistoricalOrder;
const before = { BTC: '1', USDT: '10000' };
const after = { BTC: '1', USDT: '10087.9' };
const bot = { trades: [], prices: [] };
const statistics = { requests: {}, retried: 0, found: 0, latencies: [] };

describe('the summary', () => {
  it('agrees when the orders explain the balances to the last decimal', () => {
    const assets = reconcile(before, after, [bought, sold]);
    expect(assets.map(({ asset, traded, agrees }) => [asset, traded, agrees])).toEqual([
      ['BTC', '0', true],
      ['USDT', '87.9', true],
    ]);
    expect(summarize(bot, statistics, assets, true).written).toContain('\nreconciled with the ledger');
  });

  it.each([
    ['an order too many in the ledger', before, after, [bought]],
    ['a difference of the last decimal', before, { ...after, USDT: '10087.90000001' }, [bought, sold]],
    ['an asset from nowhere', before, { ...after, XLM: '1' }, [bought, sold]],
  ])('says that it does not for %s', (_, was, is, orders) => {
    const assets = reconcile(was, is, orders);
    expect(assets.some(({ agrees }) => !agrees)).toBe(true);
    const text = summarize(bot, statistics, assets, true).written;
    expect(text).toContain('DIFFERS');
    expect(text).toContain('NOT RECONCILED');
  });

  it('says that it does not when the main balance changed, which the bot never touches', () => {
    const text = summarize(bot, statistics, reconcile(before, after, [bought, sold]), false).written;
    expect(text).toContain('main balance CHANGED');
    expect(text).toContain('NOT RECONCILED');
  });
});
