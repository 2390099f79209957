// A page of the dashboard without a browser: the newest value of each part.
import type { Exchange } from 'exchange-rx';
import { NEVER, ReplaySubject, startWith } from 'rxjs';
import type { PartValues, View } from '../../src/cli/dashboard/messages.js';
import { pageParts } from '../../src/cli/dashboard/parts/page-parts.js';
import { sourcesOf } from '../../src/cli/dashboard/parts/sources.js';
import { Witness } from '../../src/cli/dashboard/parts/witness.js';

export type FeedOfPage = ReturnType<ReturnType<typeof pagesOf>['open']>;

const view: View = { market: 'BTC_USDT', interval: '1m', currency: 'USDT' };

export function pagesOf(exchange: Exchange) {
  const witness = new Witness(exchange);
  const closed$ = new ReplaySubject<void>(1);
  const sources = sourcesOf(exchange, witness, closed$);
  const { baseUrl, hasCredentials: account } = exchange;
  const about = { ...{ exchange: 'sandbox', baseUrl, account }, sandbox: true, tradingAllowed: false, version: '0' };
  const open = (own: Partial<View> = {}) => {
    const parts: Partial<PartValues> = {};
    const acts$ = NEVER.pipe(startWith([]));
    const subscription = pageParts(sources, about, { ...view, ...own }, acts$).subscribe(({ name, value }) => {
      Object.assign(parts, { [name]: value });
    });
    return { parts, subscription };
  };
  const close = () => {
    closed$.next();
    witness.end();
  };
  return { open, close, tryNow: sources.tryNow };
}
