// All parts of one page, as they change.
import { concat, filter, interval, map, merge, NEVER, of, startWith, switchMap, take, type Observable } from 'rxjs';
import type { About, Act, PartValues, View } from '../messages.js';
import { noState } from './freshness.js';
import { marketList, stripPart, type RulesByName } from './market.js';
import type { Sources } from './sources.js';
import { intervals } from './view.js';

export type PartUpdate = {
  readonly [Name in keyof PartValues]: { readonly name: Name; readonly value: PartValues[Name] };
}[keyof PartValues];

/** The page takes a feed that is silent for longer as lost. */
const heartbeatMs = 1000;
const maxCurrencies = 8;

export type AboutServer = Omit<About, 'view' | 'intervals' | 'currencies'>;

export function pageParts(
  sources: Sources,
  server: AboutServer,
  view: View,
  acts$: Observable<readonly Act[]>,
): Observable<PartUpdate> {
  const { market, interval: candleInterval } = view;
  sources.chosen$.next(market);
  const about$ = sources.rules$.pipe(
    map(({ value }) => currenciesOf(value, view)),
    startWith([view.currency]),
    map((currencies): About => ({ ...server, view, intervals, currencies })),
  );
  const strip$ = sources.tickers$.pipe(
    filter(({ value }) => value !== undefined),
    take(1),
    map(({ value }) => value?.byTraded ?? []),
  );
  const public$ = merge(
    about$.pipe(part('about')),
    sources.rules$.pipe(map(marketList), part('markets')),
    sources.links$.pipe(
      switchMap((links) =>
        interval(heartbeatMs).pipe(
          startWith(0),
          map(() => links),
        ),
      ),
      part('links'),
    ),
    sources.exchange$.pipe(part('exchange')),
    sources.latency$.pipe(
      map((points) => ({ whole: true, points })),
      part('latency'),
    ),
    sources.market(market).pipe(part('market')),
    stripPart(sources.exchange, sources.outage, market, strip$).pipe(part('strip')),
    sources.candles(market, candleInterval).pipe(part('candles')),
    sources.book(market).pipe(part('book')),
    sources.trades(market).pipe(part('trades')),
    acts$.pipe(part('acts')),
  );
  return merge(public$, sources.hasAccount ? accountParts(sources, view) : noAccount(view));
}

function accountParts(sources: Sources, { currency }: View): Observable<PartUpdate> {
  const account$ = sources.account(currency);
  return merge(
    sources.executions$.pipe(part('executions')),
    sources.orders$.pipe(part('orders')),
    sources.positions$.pipe(part('positions')),
    account$.pipe(part('account')),
    account$.pipe(
      map(() => ({ whole: true, points: sources.equity(currency).points })),
      part('equity'),
    ),
  );
}

function noAccount({ currency }: View): Observable<PartUpdate> {
  const state = noState();
  return concat(
    of<PartUpdate[]>(
      { name: 'executions', value: { state, list: [], today: { count: 0, isAtLeast: false } } },
      { name: 'orders', value: { state, inDoubt: [], open: [], notShown: 0, ended: [], endedState: state } },
      { name: 'positions', value: { state, list: [], notShown: 0, pnl: [] } },
      { name: 'account', value: { state, currency, value: null, notValued: [], change: null, wallets: [] } },
      { name: 'equity', value: { whole: true, points: [] } },
    ),
    NEVER,
  );
}

function part<Name extends keyof PartValues>(name: Name) {
  return map((value: PartValues[Name]): PartUpdate => named(name, value));
}

function named<Name extends keyof PartValues>(name: Name, value: PartValues[Name]): PartUpdate;
function named(name: keyof PartValues, value: object): object {
  return { name, value };
}

function currenciesOf(rules: RulesByName | undefined, { currency }: View): readonly string[] {
  const counts = new Map<string, number>();
  for (const { quote } of rules?.values() ?? []) counts.set(quote, (counts.get(quote) ?? 0) + 1);
  const byCount = [...counts].toSorted(([, one], [, other]) => other - one).map(([quote]) => quote);
  return [...new Set([currency, ...byCount, 'BTC'])].slice(0, maxCurrencies);
}
