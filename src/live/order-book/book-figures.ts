// Figures of an order book: its best prices, and the total of an order. Any book will do, live or read.
import * as v from 'valibot';
import { parse, quote, rule } from '../../errors/index.js';
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
  return totalOf(asks, checkedAmount('costToBuy', amount));
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
  return totalOf(bids, checkedAmount('proceedsToSell', amount));
}

function bestPrices({
  bids: [bid],
  asks: [ask],
}: BookSides): { readonly bid: Decimal; readonly ask: Decimal } | undefined {
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

function checkedAmount(where: string, amount: string | number): Decimal {
  return decimal(parse(where, notNegative, amount, 'amount'));
}
