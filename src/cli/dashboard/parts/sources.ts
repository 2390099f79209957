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
import type { AccountPart, BookPart, ExecutionsPart, Interval, LatencyPoint, MarketPart } from '../messages.js';
import type { ExchangePart, Links, OrdersPart, PositionsPart, TradesPart } from '../messages.js';
import { accountPart, Equity } from './account.js';
import { bookPart } from './book.js';
import { candles, type CandlesUpdate } from './candles.js';
import { exchangePart, latencyPoints } from './exchange.js';
import { executionsPart, tradeNumbers } from './executions.js';
import { sharedBy, type Down, type Shown } from './freshness.js';
import { links, pingEveryMs, type SeenHealth } from './links.js';
import { allRules, marketPart, tickers, type RulesByName, type Tickers } from './market.js';
import { openOrders, ordersPart, type OpenOrders, type OrderFigures } from './orders.js';
import { openPositions, positionsPart, type AnyPosition } from './positions.js';
import { lastTrades, tradesPart } from './trades.js';
import { defaultInterval, intervals } from './view.js';
import { wallets } from './wallets.js';
import type { Witness } from './witness.js';

/** A page that is reloaded, and a probe that comes each half minute, find the health known. */
const lingerMs = 60_000;
/** Currencies whose equity is kept. */
const maxCurrencies = 8;

export interface SourcesOptions {
  readonly exchange: Exchange;
  readonly hasAccount: boolean;
  readonly witness: Witness;
  /** Emits when no page will come any more. */
  readonly closed$: Observable<unknown>;
}

export class Sources {
  readonly exchange: Exchange;
  readonly hasAccount: boolean;
  readonly health$: Observable<SeenHealth>;
  readonly latency$: Observable<readonly LatencyPoint[]>;
  readonly links$: Observable<Links>;
  readonly exchange$: Observable<ExchangePart>;
  readonly rules$: Observable<Shown<RulesByName>>;
  readonly tickers$: Observable<Shown<Tickers>>;
  readonly openOrders$: Observable<Shown<OpenOrders>>;
  readonly openPositions$: Observable<Shown<readonly AnyPosition[]>>;
  readonly orders$: Observable<OrdersPart>;
  readonly positions$: Observable<PositionsPart>;
  readonly executions$: Observable<ExecutionsPart>;
  readonly down$: Down;
  /** By market. */
  readonly market: (name: string) => Observable<MarketPart>;
  readonly book: (market: string) => Observable<BookPart>;
  readonly trades: (market: string) => Observable<TradesPart>;
  /** By {@link candlesKey}. */
  readonly candles: (key: string) => Observable<CandlesUpdate>;
  /** By currency. */
  readonly account: (currency: string) => Observable<AccountPart>;
  /** The market that a page has chosen last. */
  readonly chosen$ = new BehaviorSubject('');
  readonly #equities = new Map<string, Equity>();

  constructor({ exchange, hasAccount, witness, closed$ }: SourcesOptions) {
    this.exchange = exchange;
    this.hasAccount = hasAccount;
    const shared = <Value>(source$: Observable<Value>) =>
      source$.pipe(share({ connector: () => new ReplaySubject<Value>(1) }));
    this.health$ = watchHealth(exchange, { everyMs: pingEveryMs }).pipe(
      map((health): SeenHealth => ({ health, at: Date.now() })),
      tap(noteHealth(witness)),
      share({
        connector: () => new ReplaySubject<SeenHealth>(1),
        resetOnRefCountZero: () => merge(timer(lingerMs), closed$),
      }),
    );
    this.down$ = this.health$.pipe(
      map(({ health }) => (health.state === 'down' ? health.since : undefined)),
      startWith(undefined),
      distinctUntilChanged(),
    );
    const { down$ } = this;
    this.latency$ = shared(latencyPoints(this.health$));
    this.links$ = shared(links(exchange, hasAccount, this.health$));
    this.exchange$ = shared(exchangePart(exchange.scheduler, this.health$, witness));
    this.rules$ = shared(allRules(exchange, down$));
    this.tickers$ = shared(tickers(exchange, down$));
    const figures$ = combineLatest([this.tickers$, this.rules$]).pipe(
      map(([prices, rules]): OrderFigures => ({
        // A distance from an old price would look true.
        prices: prices.state.status === 'read' ? (prices.value?.prices ?? new Map()) : new Map(),
        rules: rules.value ?? new Map(),
      })),
    );
    this.openOrders$ = shared(openOrders(exchange, down$, this.chosen$.pipe(filter((market) => market !== ''))));
    this.openPositions$ = shared(openPositions(exchange, down$));
    this.orders$ = shared(ordersPart(exchange, down$, witness, this.openOrders$, figures$));
    this.positions$ = shared(positionsPart(exchange, this.openPositions$, figures$));
    this.executions$ = shared(executionsPart(exchange, down$));
    const sharedMarket = { exchange, down$, rules$: this.rules$ };
    const own$ = this.openOrders$.pipe(map(({ value }) => value?.orders ?? []));
    this.market = sharedBy((name) => marketPart(sharedMarket, name, lastTrades(exchange, name)));
    this.book = sharedBy((market) => bookPart(exchange, down$, market, hasAccount ? own$ : undefined));
    this.trades = sharedBy((market) => {
      const ownTrades$ = this.executions$.pipe(map((executions) => tradeNumbers(executions, market)));
      return tradesPart(exchange, down$, market, hasAccount ? ownTrades$ : undefined);
    });
    this.candles = sharedBy((key) => {
      const [market, interval] = marketAndInterval(key);
      return candles(exchange, down$, market, interval);
    });
    const byWallet = wallets(exchange, down$);
    const ownWallets = {
      spot: shared(byWallet.spot),
      collateral: shared(byWallet.collateral),
      main: shared(byWallet.main),
    };
    this.account = sharedBy((currency) => accountPart(ownWallets, this.tickers$, currency, this.equity(currency)));
  }

  /** The values of the account in a currency so far. */
  equity(currency: string): Equity {
    const known = this.#equities.get(currency);
    if (known !== undefined) return known;
    const equity = new Equity();
    const [oldest] = this.#equities.keys();
    if (this.#equities.size >= maxCurrencies && oldest !== undefined) this.#equities.delete(oldest);
    this.#equities.set(currency, equity);
    return equity;
  }
}

/** The key of a market's candles of an interval. */
export function candlesKey(market: string, interval: Interval): string {
  return `${market} ${interval}`;
}

function marketAndInterval(key: string): readonly [market: string, interval: Interval] {
  const [market = '', interval = ''] = key.split(' ');
  return [market, intervals.find((one) => one === interval) ?? defaultInterval];
}

/** Adds an event when the exchange goes down, and when it is back. */
function noteHealth(witness: Witness): (seen: SeenHealth) => void {
  let wasDown = false;
  return ({ health: { state, reason } }) => {
    const isDown = state === 'down';
    if (isDown && !wasDown) witness.add('down', `exchange down: ${reason ?? 'no response'}`);
    if (!isDown && wasDown) witness.add('up', 'exchange responds again');
    wasDown = isDown;
  };
}
