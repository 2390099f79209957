// The summary of the demo: its orders, requests and latencies, and whether orders and ledger agree.
import { isFilled } from '../../model/order.js';
import { allRateLimits } from '../../endpoints/index.js';
import type { ReconciledAsset } from './reconcile.js';
import { formatColumns, formatMs, join, text, type SafeText } from '../terminal/index.js';
import type { BotState } from './bot.js';
import { percentile, type RequestStatistics } from './request-statistics.js';

export function summarize(
  { trades }: BotState,
  { requests, retried, found, latencies }: RequestStatistics,
  assets: readonly ReconciledAsset[],
  isMainUnchanged: boolean,
): SafeText {
  const orders = trades.flatMap((trade) => (trade.kind === 'order' ? [trade] : []));
  const quotes = trades.filter(({ kind }) => kind === 'quote').length;
  const failures = trades.filter(({ kind }) => kind === 'failure').length;
  const filled = orders.filter(({ order }) => isFilled(order)).length;
  const isReconciled = isMainUnchanged && assets.every(({ agrees }) => agrees);

  const parts = [
    '',
    formatColumns(
      ['orders', ''],
      [
        ['placed', String(orders.length + quotes)],
        ['filled', String(filled)],
        ['quotes placed and canceled', String(quotes)],
        ['found after a lost response', String(found)],
        ['failed', String(failures)],
        ['retries', String(retried)],
        ['latency p50 / p99', `${formatMs(percentile(latencies, 0.5))} / ${formatMs(percentile(latencies, 0.99))}`],
      ],
    ),
    '',
    formatColumns(
      ['rate limit', 'requests', 'limit'],
      allRateLimits()
        .filter(({ name }) => requests[name] !== undefined)
        .map(({ name, limit, windowMs }) => [name, String(requests[name]), `${limit} / ${windowMs / 1000} s`]),
    ),
    '',
    formatColumns(
      ['asset', 'before', 'traded (orders)', 'after (ledger)', ''],
      assets.map(({ asset, before, traded, after, agrees }) => [
        asset,
        before,
        traded,
        after,
        agrees ? 'equal' : 'DIFFERENT',
      ]),
    ),
    '',
    text`Main balance: ${isMainUnchanged ? 'unchanged' : 'CHANGED'}`,
    isReconciled
      ? 'Reconciled: the orders explain the ledger to the last decimal.'
      : 'NOT RECONCILED: the orders do not explain the ledger.',
  ];
  return join(parts, '\n');
}
