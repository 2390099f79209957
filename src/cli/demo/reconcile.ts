// Reconciliation: the amounts that the responses to orders reported, against the balances in the exchange's ledger, to the
// last decimal.
import { decimal, formatDecimal, type Decimal } from '../../model/decimal.js';
import type { HistoricalOrder } from '../../model/order.js';
import type { Balances } from '../../sandbox/index.js';

export interface ReconciledAsset {
  readonly asset: string;
  readonly before: string;
  readonly traded: string;
  readonly after: string;
  readonly agrees: boolean;
}

export function reconcile(before: Balances, after: Balances, orders: readonly HistoricalOrder[]): ReconciledAsset[] {
  const traded = new Map<string, Decimal>();
  const book = (asset: string, delta: Decimal) => traded.set(asset, delta.plus(traded.get(asset) ?? 0));
  for (const { market, side, deal_stock = '0', deal_money = '0', deal_fee = '0' } of orders) {
    const [stock = '', money = ''] = market.split('_');
    const sign = side === 'buy' ? 1 : -1;
    book(stock, decimal(deal_stock).multipliedBy(sign));
    book(money, decimal(deal_money).multipliedBy(-sign).minus(deal_fee));
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after), ...traded.keys()])].sort().map((asset) => {
    const was = decimal(before[asset] ?? '0');
    const change = traded.get(asset) ?? decimal(0);
    const is = decimal(after[asset] ?? '0');
    return {
      asset,
      before: formatDecimal(was),
      traded: formatDecimal(change),
      after: formatDecimal(is),
      agrees: was.plus(change).isEqualTo(is),
    };
  });
}
