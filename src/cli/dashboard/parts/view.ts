// What a page shows, as the address of its feed has it.
import { marketNamePattern } from '../../../model/market.js';
import type { Interval, View } from '../messages.js';

export const intervals: readonly Interval[] = ['1m', '5m', '15m', '1h', '4h', '1d'];
const defaultInterval: Interval = '1m';
const currencyPattern = /^[A-Za-z0-9-]{1,20}$/;
const maxMarketLength = 40;

/** The view of a query; what is missing or impossible is that of `fallback`. */
export function viewOf(query: URLSearchParams, fallback: Pick<View, 'market' | 'currency'>): View {
  const market = query.get('market') ?? '';
  const currency = query.get('currency') ?? '';
  return {
    market: market.length <= maxMarketLength && marketNamePattern.test(market) ? market : fallback.market,
    interval: intervals.find((interval) => interval === query.get('interval')) ?? defaultInterval,
    currency: currencyPattern.test(currency) ? currency : fallback.currency,
  };
}
