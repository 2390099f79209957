// The order book of a market, with the account's own amounts at its prices.
import { combineLatest, map, of, startWith, type Observable } from 'rxjs';
import type { Exchange } from '../../../exchange.js';
import type { LiveOrder, LiveOrderBook } from '../../../live/index.js';
import { formatDecimal } from '../../../model/decimal.js';
import type { PriceLevel } from '../../../model/order-book.js';
import type { BookLevel, BookPart } from '../messages.js';
import { pageAmount, pageName } from '../page-text.js';
import { readAmount } from './figures.js';
import { live, shown, type Outage } from './freshness.js';

/** As often as a page is updated. */
const everyMs = 100;
const maxLevels = 100;

export function bookPart(
  exchange: Exchange,
  outage: Outage,
  market: string,
  orders$: Observable<readonly LiveOrder[]> = of([]),
): Observable<BookPart> {
  const book$ = exchange.live.orderBook({ market, everyMs }).pipe(
    live((update) => update),
    shown(outage, everyMs),
  );
  const own$ = orders$.pipe(
    map((orders) => orders.filter((order) => order.market === market)),
    map((orders) => ({ buy: ownAmounts(orders, 'buy'), sell: ownAmounts(orders, 'sell') })),
    startWith({ buy: none, sell: none }),
  );
  return combineLatest([book$, own$]).pipe(
    map(([{ value, state }, own]) => ({
      // A book knows since when it is stale.
      state: state.status === 'stale' && value?.status === 'stale' ? { ...state, since: value.since } : state,
      market: pageName(market),
      asks: levelsOf(value, 'asks', own.sell),
      bids: levelsOf(value, 'bids', own.buy),
    })),
  );
}

type OwnAmounts = ReadonlyMap<string, string>;

const none: OwnAmounts = new Map();

/** Open amounts by price. A stop order is in no book before its trigger. */
function ownAmounts(orders: readonly LiveOrder[], side: string): OwnAmounts {
  const amounts = new Map<string, string>();
  for (const order of orders) {
    const [price, left] = [readAmount(order.price), readAmount(order.left)];
    const isInBook = order.activation_price === undefined || order.activated === 1;
    if (order.side !== side || !isInBook || price === undefined || left === undefined || price.isZero()) continue;
    const name = formatDecimal(price);
    amounts.set(name, formatDecimal(left.plus(amounts.get(name) ?? 0)));
  }
  return amounts;
}

function levelsOf(book: LiveOrderBook | undefined, side: 'asks' | 'bids', own: OwnAmounts): readonly BookLevel[] {
  return (book?.[side] ?? []).slice(0, maxLevels).map((level) => levelOf(level, own));
}

function levelOf([price, amount]: PriceLevel, own: OwnAmounts): BookLevel {
  const level = [pageAmount(price), pageAmount(amount)] as const;
  const ownAmount = own.size === 0 ? undefined : own.get(withoutZeros(price));
  return ownAmount === undefined ? level : [...level, pageAmount(ownAmount)];
}

/** As `formatDecimal` writes a price above zero, for hundreds of levels at each change. */
function withoutZeros(price: string): string {
  return price.includes('.') ? price.replace(/\.?0+$/, '') : price;
}
