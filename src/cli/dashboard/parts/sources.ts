// What all pages share: each source has one subscription, which the last page to leave ends. Equity and events are kept.
import {
  BehaviorSubject,
  combineLatest,
  distinctUntilChanged,
  filter,
  map,
  merge,
  ReplaySubject,
  share,
  startWith,
  Subject,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import { watchHealth } from '../../../streams/index.js';
import type { Interval, TryResponse } from '../messages.js';
import { accountPart, Equity } from './account.js';
import { bookPart } from './book.js';
import { candles } from './candles.js';
import { exchangePart, latencyPoints } from './exchange.js';
import { executionsPart, tradeNumbers } from './executions.js';
import { shared, sharedBy, type Outage } from './freshness.js';
import { links, pingEveryMs, type SeenHealth } from './links.js';
import { allRules, marketPart, tickers } from './market.js';
import { openOrders, ordersPart, type OrderFigures } from './orders.js';
import { openPositions, positionsPart } from './positions.js';
import { lastTrades, tradesPart } from './trades.js';
import { wallets } from './wallets.js';
import type { Witness } from './witness.js';

/** A page that is reloaded, and a probe that comes each half minute, find the health known. */
const lingerMs = 60_000;
const maxCurrencies = 8;
/** A page cannot make the client send more than a few requests at once, and not often. */
const tryEveryMs = 5000;

export type Sources = ReturnType<typeof sourcesOf>;

/** @param closed$ emits when no page will come any more */
export function sourcesOf(exchange: Exchange, witness: Witness, closed$: Observable<unknown>) {
  const { hasCredentials: hasAccount } = exchange;
  const health$ = watchHealth(exchange, { everyMs: pingEveryMs }).pipe(
    map((health): SeenHealth => ({ health, at: Date.now() })),
    tap(noteHealth(witness)),
    share({
      connector: () => new ReplaySubject<SeenHealth>(1),
      resetOnRefCountZero: () => merge(timer(lingerMs), closed$),
    }),
  );
  const tryNow$ = new Subject<void>();
  const outage: Outage = {
    down$: health$.pipe(
      map(({ health }) => (health.state === 'down' ? health.since : undefined)),
      startWith(undefined),
      distinctUntilChanged(),
    ),
    tryNow$,
  };
  const chosen$ = new BehaviorSubject('');
  const rules$ = allRules(exchange, outage).pipe(shared());
  const tickers$ = tickers(exchange, outage).pipe(shared());
  const figures$ = combineLatest([tickers$, rules$]).pipe(
    map(([prices, rules]): OrderFigures => ({
      // A distance from an old price would look true.
      prices: prices.state.status === 'read' ? (prices.value?.prices ?? new Map()) : new Map(),
      rules: rules.value ?? new Map(),
    })),
  );
  const openOrders$ = openOrders(exchange, outage, chosen$.pipe(filter((market) => market !== ''))).pipe(shared());
  const executions$ = executionsPart(exchange, outage).pipe(shared());
  const own$ = openOrders$.pipe(map(({ value }) => value?.orders ?? []));
  const ownWallets = wallets(exchange, outage);
  const equities = new Map<string, Equity>();
  const equity = (currency: string): Equity => {
    const known = equities.get(currency) ?? new Equity();
    const [oldest] = equities.keys();
    if (!equities.has(currency) && equities.size >= maxCurrencies && oldest !== undefined) equities.delete(oldest);
    equities.set(currency, known);
    return known;
  };
  let triedAt = Number.NEGATIVE_INFINITY;
  /** The next attempt of connections and reads at once, for all pages together. */
  const tryNow = (): TryResponse => {
    const now = performance.now();
    const waitMs = triedAt + tryEveryMs - now;
    if (waitMs > 0) return { kind: 'refused', reason: `The next try is possible in ${Math.ceil(waitMs / 1000)} s.` };
    triedAt = now;
    witness.add('note', 'a page tries the exchange now');
    exchange.live.tryNow();
    tryNow$.next();
    return { kind: 'tried' };
  };
  return {
    ...{ exchange, hasAccount, health$, outage, chosen$, rules$, tickers$, executions$, equity, tryNow },
    latency$: latencyPoints(health$).pipe(shared()),
    links$: links(exchange, hasAccount, health$).pipe(shared()),
    exchange$: exchangePart(exchange.scheduler, witness).pipe(shared()),
    orders$: ordersPart(exchange, outage, witness, openOrders$, figures$).pipe(shared()),
    positions$: positionsPart(exchange, outage, openPositions(exchange, outage).pipe(shared()), figures$).pipe(
      shared(),
    ),
    market: sharedBy((name: string) => marketPart(exchange, outage, name, rules$, lastTrades(exchange, name))),
    book: sharedBy((market: string) => bookPart(exchange, outage, market, hasAccount ? own$ : undefined)),
    trades: sharedBy((market: string) => {
      const ownTrades$ = executions$.pipe(map((executions) => tradeNumbers(executions, market)));
      return tradesPart(exchange, outage, market, hasAccount ? ownTrades$ : undefined);
    }),
    candles: sharedBy((market: string, interval: Interval) => candles(exchange, outage, market, interval)),
    account: sharedBy((currency: string) => accountPart(ownWallets, tickers$, currency, equity(currency))),
  };
}

function noteHealth(witness: Witness): (seen: SeenHealth) => void {
  let wasDown = false;
  return ({ health: { state, reason } }) => {
    const isDown = state === 'down';
    if (isDown && !wasDown) witness.add('down', `exchange down: ${reason ?? 'no response'}`);
    if (!isDown && wasDown) witness.add('up', 'exchange responds again');
    wasDown = isDown;
  };
}
