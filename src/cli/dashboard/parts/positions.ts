// The open positions of the collateral account, valued at the mark price.
import { combineLatest, distinctUntilChanged, map, merge, of, scan, startWith, switchMap, type Observable } from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import { formatDecimal, type Decimal } from '../../../model/decimal.js';
import { sizeOf, type AnyPosition } from '../../market/position.js';
import type { MarketRules, PositionRow, PositionsPart } from '../messages.js';
import { pageAmount, pageName } from '../page-text.js';
import { percentAbove, quoteDecimals, readAmount, rounded, signed, sum, type Prices } from './figures.js';
import { live, liveOrRead, polled, shown, untilRefused, type Outage, type Shown } from './freshness.js';
import type { OrderFigures } from './orders.js';

const maxPositions = 50;
const readEveryMs = 3000;
const leverageEveryMs = 10_000;
const paceMs = 1000;

export function openPositions(exchange: Exchange, outage: Outage): Observable<Shown<readonly AnyPosition[]>> {
  const live$ = exchange.live.my.positions().pipe(live((update): readonly AnyPosition[] => update.value));
  const read = () => exchange.collateral.openPositions({}, { retry: false });
  return liveOrRead<readonly AnyPosition[]>(outage, live$, read, readEveryMs).pipe(shown(outage, paceMs));
}

export function positionsPart(
  exchange: Exchange,
  outage: Outage,
  positions$: Observable<Shown<readonly AnyPosition[]>>,
  figures$: Observable<OrderFigures>,
): Observable<PositionsPart> {
  const marks$ = positions$.pipe(
    map(({ value = [] }) => [...new Set(value.map(({ market }) => market).filter(isFutures))].toSorted()),
    distinctUntilChanged((one, other) => String(one) === String(other)),
    switchMap((markets) => marksOf(exchange, markets)),
  );
  const leverage$ = positions$.pipe(
    map(({ value = [] }) => value.length > 0),
    distinctUntilChanged(),
    switchMap((isOpen) => (isOpen ? leverageOf(exchange, outage) : of(''))),
  );
  return combineLatest([positions$, marks$, leverage$, figures$]).pipe(
    map(([{ value = [], state }, marks, leverage, { prices, rules }]) => {
      // Margin positions are valued at the last price: their markets have no mark price.
      const markOf = ({ market }: AnyPosition) => (isFutures(market) ? marks : prices).get(market);
      const pnls = value.map((position) => {
        const market = rules.get(position.market);
        return { currency: currencyOf(position, market), pnl: pnlOf(position, markOf(position)), market };
      });
      return {
        state,
        list: value
          .slice(0, maxPositions)
          .map((position) => ({ ...positionRow(position, markOf(position), rules.get(position.market)), leverage })),
        notShown: Math.max(0, value.length - maxPositions),
        pnl: [...new Set(pnls.map(({ currency }) => currency))].map((currency) => {
          const own = pnls.filter((one) => one.currency === currency);
          const known = own.flatMap(({ pnl }) => pnl ?? []);
          // A sum of some would look like the sum of all.
          const total = known.length === own.length ? sum(known) : undefined;
          return { currency, amount: signed(total, quoteDecimals(own[0]?.market)) };
        }),
      };
    }),
  );
}

const isFutures = (market: string) => market.endsWith('_PERP');

function marksOf({ live: { premiumIndex } }: Exchange, markets: readonly string[]): Observable<Prices> {
  if (markets.length === 0) return of(new Map());
  const none: Prices = new Map();
  return merge(...markets.map((market) => premiumIndex({ markets: [market] }).pipe(untilRefused()))).pipe(
    scan((marks, { market, status, markPrice }) => {
      const next = new Map(marks);
      if (status === 'live') next.set(market, markPrice);
      else next.delete(market);
      return next;
    }, none),
    startWith(none),
  );
}

/** Of the account, which is that of each position. An old one is none: it may have been changed. */
function leverageOf({ collateral }: Exchange, outage: Outage): Observable<string> {
  const read = () => collateral.summary({ retry: false }).pipe(map(({ leverage = 0 }) => leverage));
  return polled(outage, read, leverageEveryMs).pipe(
    map(({ value, status }) => (status === 'read' && value > 0 ? String(value) : '')),
    startWith(''),
    distinctUntilChanged(),
  );
}

/** The profit at a price; as the exchange reports it, without a price. */
export function pnlOf(position: AnyPosition, price: string | undefined): Decimal | undefined {
  const { side, size } = sizeOf(position);
  const [at, entry] = [readAmount(price), readAmount(position.basePrice)];
  if (at === undefined || entry === undefined) return readAmount(position.unrealizedPnl);
  return at.minus(entry).multipliedBy(side === 'long' ? size : size.negated());
}

export function currencyOf({ market }: AnyPosition, rules: MarketRules | undefined): string {
  const [, quote = ''] = market.split('_');
  return rules?.quote ?? pageName(quote === 'PERP' ? 'USDT' : quote);
}

function positionRow(
  position: AnyPosition,
  mark: string | undefined,
  rules: MarketRules | undefined,
): Omit<PositionRow, 'leverage'> {
  const { market, positionId, margin = '', liquidationState = '' } = position;
  const { side, size } = sizeOf(position);
  const [at, used] = [readAmount(mark), readAmount(margin)];
  const places = quoteDecimals(rules);
  const pnl = pnlOf(position, mark);
  const liquidation = priceText(position.liquidationPrice, rules);
  return {
    ...{ positionId, market: pageName(market), side, amount: pageAmount(formatDecimal(size)) },
    value: at === undefined ? '' : rounded(size.multipliedBy(at), places),
    entry: priceText(position.basePrice, rules),
    mark: pageAmount(mark ?? ''),
    ...{ liquidation, away: percentAbove(liquidation, mark) },
    pnl: signed(pnl, places),
    ofMargin: used?.isGreaterThan(0) === true ? signed(pnl?.dividedBy(used).multipliedBy(100), 1) : '',
    // The exchange counts what the account owes.
    funding: signed(readAmount(position.unrealizedFunding)?.negated(), places),
    ...{ margin: pageAmount(margin), warning: pageName(liquidationState) },
  };
}

function priceText(price: string | undefined, rules: MarketRules | undefined): string {
  const value = readAmount(price);
  if (value === undefined || value.isZero()) return '';
  return rules === undefined ? pageAmount(formatDecimal(value)) : rounded(value, rules.priceDecimals);
}
