// The last word of the demo: what was ordered, what it cost in requests and time, and whether the books agree.
import { isFilled } from '../../model/order.js';
import { rateLimits } from '../../scheduler/index.js';
import type { ReconciledAsset } from './reconcile.js';
import { formatMs } from '../report.js';
import { framed, joined, text, type Text } from '../text.js';
import { percentile, type WireStatistics } from './statistics.js';
import type { BotState } from './strategy.js';

export function summarize(
  { trades }: BotState,
  { requests, retried, found, latencies }: WireStatistics,
  assets: readonly ReconciledAsset[],
  mainUnchanged: boolean,
): Text {
  const orders = trades.flatMap((trade) => (trade.kind === 'order' ? [trade] : []));
  const quotes = trades.filter(({ kind }) => kind === 'quote').length;
  const failures = trades.filter(({ kind }) => kind === 'failure').length;
  const filled = orders.filter(({ order }) => isFilled(order)).length;
  const agreed = mainUnchanged && assets.every(({ agrees }) => agrees);

  const parts = [
    '',
    framed(
      ['orders', ''],
      [
        ['placed', String(orders.length + quotes)],
        ['filled', String(filled)],
        ['quoted and canceled', String(quotes)],
        ['found again after a lost answer', String(found)],
        ['not placed', String(failures)],
        ['repeated', String(retried)],
        ['latency p50 / p99', `${formatMs(percentile(latencies, 0.5))} / ${formatMs(percentile(latencies, 0.99))}`],
      ],
    ),
    framed(
      ['limit group', 'requests', 'limit'],
      Object.values(rateLimits)
        .filter(({ name }) => requests[name] !== undefined)
        .map(({ name, limit, windowMs }) => [name, String(requests[name]), `${limit} / ${windowMs / 1000} s`]),
    ),
    framed(
      ['asset', 'before', 'by the orders', 'after, by the ledger', ''],
      assets.map(({ asset, before, traded, after, agrees }) => [
        asset,
        before,
        traded,
        after,
        agrees ? 'agrees' : 'DIFFERS',
      ]),
    ),
    text`main balance ${mainUnchanged ? 'unchanged' : 'CHANGED'}`,
    agreed ? 'reconciled with the ledger to the last decimal' : 'NOT RECONCILED with the ledger',
  ];
  return joined(parts, '\n');
}
