// Figures of an order book: its best prices, and the total of an order. Any book will do, live or read.
import * as v from 'valibot';
import { count, parse, quote, rule } from '../../errors/index.js';
import { decimal, decimalRule, formatDecimal, readDecimal, type Decimal } from '../../model/decimal.js';
import type { PriceLevel } from '../../model/order-book.js';

/** The sides of an order book: those of `exchange.public.orderBook`, or of a live book. */
export interface BookSides {
  /** Buy orders by price, highest first. */
  readonly bids: readonly PriceLevel[];
  /** Sell orders by price, lowest first. */
  readonly asks: readonly PriceLevel[];
}

/**
 * The highest buy price and the amount at it; `undefined` without bids.
 *
 * @example
 * ```ts
 * import { bestBid } from 'exchange-rx';
 *
 * bestBid({ bids: [['60012.5', '9.31'], ['60012', '0.04']], asks: [] }); // ['60012.5', '9.31']
 * ```
 */
export function bestBid({ bids }: BookSides): PriceLevel | undefined {
  return bids[0];
}

/**
 * The lowest sell price and the amount at it; `undefined` without asks.
 *
 * @example
 * ```ts
 * import { bestAsk } from 'exchange-rx';
 *
 * bestAsk({ bids: [], asks: [['60012.6', '0.2'], ['60013', '0.71']] }); // ['60012.6', '0.2']
 * ```
 */
export function bestAsk({ asks }: BookSides): PriceLevel | undefined {
  return asks[0];
}

/**
 * The best ask minus the best bid, quote currency; `undefined` when a side is empty.
 *
 * @example
 * ```ts
 * import { spread } from 'exchange-rx';
 *
 * spread({ bids: [['60012.5', '9.31']], asks: [['60012.6', '0.2']] }); // '0.1'
 * ```
 */
export function spread(book: BookSides): string | undefined {
  const best = bestPrices(book);
  return best === undefined ? undefined : formatDecimal(best.ask.minus(best.bid));
}

/**
 * The exact middle of best bid and best ask, quote currency; `undefined` when a side is empty. It may have one decimal
 * place more than the prices of the market.
 *
 * @example
 * ```ts
 * import { midPrice } from 'exchange-rx';
 *
 * midPrice({ bids: [['60012.5', '9.31']], asks: [['60012.6', '0.2']] }); // '60012.55'
 * ```
 */
export function midPrice(book: BookSides): string | undefined {
  const best = bestPrices(book);
  return best === undefined ? undefined : formatDecimal(best.ask.plus(best.bid).multipliedBy('0.5'));
}

/**
 * The cost of a market buy of `amount`, quote currency, without the fee; `undefined` when the asks of the book have less
 * than the amount.
 *
 * @param amount - Base currency, 0 or more: a decimal string, or a finite number.
 * @throws {@link RequestError} for an invalid amount.
 * @example
 * ```ts
 * import { costToBuy } from 'exchange-rx';
 *
 * const book = { bids: [], asks: [['60012.6', '0.2'], ['60013', '0.71']] } as const;
 * costToBuy(book, '0.5'); // '30006.42'
 * costToBuy(book, '1'); // undefined
 * ```
 */
export function costToBuy({ asks }: BookSides, amount: string | number): string | undefined {
  return totalOf(asks, checkedDecimal('costToBuy', 'amount', amount));
}

/**
 * The proceeds of a market sale of `amount`, quote currency, without the fee; `undefined` when the bids of the book have
 * less than the amount.
 *
 * @param amount - Base currency, 0 or more: a decimal string, or a finite number.
 * @throws {@link RequestError} for an invalid amount.
 * @example
 * ```ts
 * import { proceedsToSell } from 'exchange-rx';
 *
 * const book = { bids: [['60012.5', '9.31'], ['60012', '0.04']], asks: [] } as const;
 * proceedsToSell(book, '9.32'); // '559316.495'
 * ```
 */
export function proceedsToSell({ bids }: BookSides, amount: string | number): string | undefined {
  return totalOf(bids, checkedDecimal('proceedsToSell', 'amount', amount));
}

/**
 * The amount of the bids at `price` or higher, which a sale limited to that price would take, and of the asks at `price`
 * or lower, which a buy would take. Base currency; `'0'` where there are none. Orders beyond the last level of the book
 * are not in it.
 *
 * @param price - Quote currency, 0 or more: a decimal string, or a finite number.
 * @throws {@link RequestError} for an invalid price.
 * @example
 * ```ts
 * import { depthTo } from 'exchange-rx';
 *
 * const book = { bids: [['60012.5', '9.31']], asks: [['60012.6', '0.2'], ['60013', '0.71']] } as const;
 * depthTo(book, '60013'); // { bids: '0', asks: '0.91' }
 * ```
 */
export function depthTo(
  { bids, asks }: BookSides,
  price: string | number,
): { readonly bids: string; readonly asks: string } {
  const limit = checkedDecimal('depthTo', 'price', price);
  return {
    bids: formatDecimal(amountOf(bids.filter(([bid]) => limit.isLessThanOrEqualTo(bid)))),
    asks: formatDecimal(amountOf(asks.filter(([ask]) => limit.isGreaterThanOrEqualTo(ask)))),
  };
}

/**
 * The amount of the bids minus that of the asks, divided by their sum, at the best `levels` prices of each side. From -1
 * (only asks) to 1 (only bids); `undefined` for an empty book. A number, because a ratio is not money.
 *
 * @param levels - How many price levels of each side count, 1 or more.
 * @throws {@link RequestError} for an invalid number of levels.
 * @example
 * ```ts
 * import { imbalance } from 'exchange-rx';
 *
 * imbalance({ bids: [['60012.5', '3']], asks: [['60012.6', '1']] }, 5); // 0.5
 * ```
 */
export function imbalance({ bids, asks }: BookSides, levels: number): number | undefined {
  parse('imbalance', count(), levels, 'levels');
  const bought = amountOf(bids.slice(0, levels));
  const sold = amountOf(asks.slice(0, levels));
  const both = bought.plus(sold);
  return both.isZero() ? undefined : bought.minus(sold).dividedBy(both).toNumber();
}

function bestPrices(book: BookSides): { readonly bid: Decimal; readonly ask: Decimal } | undefined {
  const bid = bestBid(book);
  const ask = bestAsk(book);
  if (bid === undefined || ask === undefined) return undefined;
  return { bid: decimal(bid[0]), ask: decimal(ask[0]) };
}

/** The sum of price × amount of the best levels up to an amount; `undefined` when all of them have less. */
function totalOf(levels: readonly PriceLevel[], wanted: Decimal): string | undefined {
  let total = decimal(0);
  let missing = wanted;
  for (const [price, amount] of levels) {
    if (missing.isLessThanOrEqualTo(amount)) return formatDecimal(total.plus(missing.multipliedBy(price)));
    total = total.plus(decimal(amount).multipliedBy(price));
    missing = missing.minus(amount);
  }
  return missing.isZero() ? formatDecimal(total) : undefined;
}

function amountOf(levels: readonly PriceLevel[]): Decimal {
  return levels.reduce((sum, [, amount]) => sum.plus(amount), decimal(0));
}

const aDecimal = rule<string | number>(
  (value) => (typeof value === 'string' || typeof value === 'number') && readDecimal(value) !== undefined,
  decimalRule,
);
const notNegative = v.pipe(
  aDecimal,
  v.check(
    (value) => !decimal(value).isLessThan(0),
    ({ input }) => `${quote(input)} must be 0 or more`,
  ),
);

function checkedDecimal(where: string, field: string, value: string | number): Decimal {
  return decimal(parse(where, notNegative, value, field));
}
