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
  tap,
  timer,
  type Observable,
} from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import { watchHealth } from '../../../streams/index.js';
import type { Interval } from '../messages.js';
import { accountPart, Equity } from './account.js';
import { bookPart } from './book.js';
import { candles } from './candles.js';
import { exchangePart, latencyPoints } from './exchange.js';
import { executionsPart, tradeNumbers } from './executions.js';
import { shared, sharedBy, type Down } from './freshness.js';
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
  const down$: Down = health$.pipe(
    map(({ health }) => (health.state === 'down' ? health.since : undefined)),
    startWith(undefined),
    distinctUntilChanged(),
  );
  const chosen$ = new BehaviorSubject('');
  const rules$ = allRules(exchange, down$).pipe(shared());
  const tickers$ = tickers(exchange, down$).pipe(shared());
  const figures$ = combineLatest([tickers$, rules$]).pipe(
    map(([prices, rules]): OrderFigures => ({
      // A distance from an old price would look true.
      prices: prices.state.status === 'read' ? (prices.value?.prices ?? new Map()) : new Map(),
      rules: rules.value ?? new Map(),
    })),
  );
  const openOrders$ = openOrders(exchange, down$, chosen$.pipe(filter((market) => market !== ''))).pipe(shared());
  const executions$ = executionsPart(exchange, down$).pipe(shared());
  const own$ = openOrders$.pipe(map(({ value }) => value?.orders ?? []));
  const ownWallets = wallets(exchange, down$);
  const equities = new Map<string, Equity>();
  const equity = (currency: string): Equity => {
    const known = equities.get(currency) ?? new Equity();
    const [oldest] = equities.keys();
    if (!equities.has(currency) && equities.size >= maxCurrencies && oldest !== undefined) equities.delete(oldest);
    equities.set(currency, known);
    return known;
  };
  return {
    ...{ exchange, hasAccount, health$, down$, chosen$, rules$, tickers$, executions$, equity },
    latency$: latencyPoints(health$).pipe(shared()),
    links$: links(exchange, hasAccount, health$).pipe(shared()),
    exchange$: exchangePart(exchange.scheduler, witness).pipe(shared()),
    orders$: ordersPart(exchange, down$, witness, openOrders$, figures$).pipe(shared()),
    positions$: positionsPart(exchange, openPositions(exchange, down$).pipe(shared()), figures$).pipe(shared()),
    market: sharedBy((name: string) => marketPart(exchange, down$, name, rules$, lastTrades(exchange, name))),
    book: sharedBy((market: string) => bookPart(exchange, down$, market, hasAccount ? own$ : undefined)),
    trades: sharedBy((market: string) => {
      const ownTrades$ = executions$.pipe(map((executions) => tradeNumbers(executions, market)));
      return tradesPart(exchange, down$, market, hasAccount ? ownTrades$ : undefined);
    }),
    candles: sharedBy((market: string, interval: Interval) => candles(exchange, down$, market, interval)),
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
