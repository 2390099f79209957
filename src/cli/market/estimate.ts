// What an order would cost, and its fee: computed from its price, or from the order book as it is now.
import { catchError, forkJoin, map, of, throwError, type Observable } from 'rxjs';
import type { CallOptions } from '../../call/index.js';
import type { TradingFees } from '../../endpoints/spot/index.js';
import { isExchangeError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import { decimal, formatDecimal, type Decimal } from '../../model/decimal.js';
import type { Market } from '../../model/market.js';
import type { PriceLevel } from '../../model/order-book.js';
import type { Endpoint } from '../../endpoint/index.js';
import { join, text, type SafeText } from '../terminal/index.js';

export interface PricedOrder {
  readonly endpoint: Endpoint;
  readonly params: {
    readonly market: string;
    readonly side: 'buy' | 'sell';
    readonly amount: string;
    readonly price?: string;
    readonly activation_price?: string;
    readonly stop_limit_price?: string;
    readonly client_order_id: string;
  };
}

export interface Estimate {
  readonly lines: readonly SafeText[];
  readonly data: Readonly<Record<string, string>>;
}

export interface Fees {
  readonly maker: string | undefined;
  readonly taker: string | undefined;
  readonly isListed?: boolean;
}

/** A limit order is computed at its price, a stop order at its activation price, another from the order book. */
export function estimate(exchange: Exchange, plan: PricedOrder, market: Market | undefined): Observable<Estimate> {
  const { params, endpoint } = plan;
  const { price = params.activation_price } = params;
  // Of a perpetual, the name of the market does not have it.
  const asset = market?.money ?? params.market.split('_').at(-1) ?? '';
  // The amount of these buys is in the quote currency: it is their total.
  const isTotal =
    params.side === 'buy' && ['spot.placeMarketOrder', 'spot.placeStopMarketOrder'].includes(endpoint.name);
  const total$ = isTotal
    ? of(decimal(params.amount))
    : price === undefined
      ? exchange.public
          .orderBook({ market: params.market })
          .pipe(map(({ asks, bids }) => totalOf(params.side === 'buy' ? asks : bids, params.amount)))
      : of(decimal(params.amount).multipliedBy(price));
  return forkJoin([total$, accountFees(exchange).pipe(map((fees) => feesIn(fees, params.market, market)))]).pipe(
    map(([total, fees]) => inWords(total, fees, { asset, isEstimated: price === undefined && !isTotal, plan })),
  );
}

/** What the amount trades for at the levels of a side; `undefined` when they do not suffice. */
export function totalOf(levels: readonly PriceLevel[], amount: string): Decimal | undefined {
  let left = decimal(amount);
  let total = decimal(0);
  for (const [price, offered] of levels) {
    const taken = left.isLessThan(offered) ? left : decimal(offered);
    total = total.plus(taken.multipliedBy(price));
    left = left.minus(taken);
    if (left.isZero()) return total;
  }
  return undefined;
}

/** The fees of the account; `undefined` without credentials, or without leave to read them. */
export function accountFees(exchange: Exchange, options: CallOptions = {}): Observable<TradingFees | undefined> {
  return exchange.spot
    .fees(options)
    .pipe(catchError((error: unknown) => (isExchangeError(error) ? of(undefined) : throwError(() => error))));
}

/** The fees of a market in percent; those that it lists where the account's are not known. */
export function feesIn(fees: TradingFees | undefined, name: string, market: Market | undefined): Fees {
  if (fees === undefined) return { maker: market?.makerFee, taker: market?.takerFee, isListed: true };
  const own = fees.custom_fee?.[name];
  if (own !== undefined) return own;
  return name.endsWith('_PERP') ? { maker: fees.futures_maker, taker: fees.futures_taker } : fees;
}

function inWords(
  total: Decimal | undefined,
  { maker, taker, isListed = false }: Fees,
  { asset, isEstimated, plan }: { readonly asset: string; readonly isEstimated: boolean; readonly plan: PricedOrder },
): Estimate {
  const isSpot = plan.endpoint.name.startsWith('spot.');
  const noun = isSpot ? (plan.params.side === 'buy' ? 'Cost' : 'Proceeds') : 'Value';
  if (total === undefined)
    return { lines: [text`${noun}: unknown, the order book is too thin for this amount.`], data: {} };
  const feeAt = (percent: string) => formatDecimal(total.multipliedBy(percent).dividedBy(100));
  const sum = formatDecimal(total);
  const isMakerPossible = plan.params.price !== undefined;
  const parts = [
    ...(taker === undefined ? [] : [text`${feeAt(taker)} ${asset} as taker (${taker} %)`]),
    ...(maker === undefined || !isMakerPossible ? [] : [text`${feeAt(maker)} ${asset} as maker (${maker} %)`]),
  ];
  const source = isListed ? ', by the fees of the market: those of the account were not read' : '';
  const fee = parts.length === 0 ? text`unknown` : text`${join(parts, ', ')}${source}`;
  return {
    lines: [text`${noun}: ${sum} ${asset}${isEstimated ? ', by the order book now' : ''}`, text`Fee: ${fee}`],
    data: {
      ...{ asset, total: sum },
      ...(taker === undefined ? {} : { takerFee: feeAt(taker) }),
      ...(maker === undefined || !isMakerPossible ? {} : { makerFee: feeAt(maker) }),
    },
  };
}
