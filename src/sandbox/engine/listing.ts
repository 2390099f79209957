// The markets of the sandbox: rules, initial price, depth, and the leverage brackets of a perpetual.
import * as v from 'valibot';
import { decimal, decimalStep, type Decimal } from '../../model/decimal.js';
import { leverages } from '../../model/position.js';
import * as c from '../check.js';

/** The sandbox's own liquidity on each side of the price. */
export interface MarketDepth {
  /** Number of price levels on each side. */
  readonly levels: number;
  /** Distance between two levels, as a share of the price, from 0 to 1. */
  readonly step: number;
  /** Amount of each level, in the base currency. */
  readonly size: string;
}

/** A market of the sandbox. Every field except the name has a default. */
export interface SandboxMarketOptions {
  /** The pair, `BASE_QUOTE`; `BASE_PERP` for a perpetual, whose quote currency is USDT. */
  readonly name: string;
  /** Initial price, in the quote currency. Default 100. */
  readonly price?: string;
  /** Decimal places of amounts; a negative number allows multiples of a power of ten only: -3 of 1000. Default 6. */
  readonly stockPrec?: number;
  /** Decimal places of prices. Default 2. */
  readonly moneyPrec?: number;
  /** Price step, a decimal string. Default `''`: the step follows from `moneyPrec`. */
  readonly tickSize?: string;
  /** Amount step, a decimal string. Default `''`: the step follows from `stockPrec`. */
  readonly stepSize?: string;
  /** Decimal places of fees. Default 8. */
  readonly feePrec?: number;
  /** Maker fee, percent. Default 0.1. */
  readonly makerFee?: string;
  /** Taker fee, percent. Default 0.1. */
  readonly takerFee?: string;
  /** Minimum amount of an order, in the base currency. Default 0.0001. */
  readonly minAmount?: string;
  /** Minimum total of an order, in the quote currency. Default 5. */
  readonly minTotal?: string;
  /** Maximum total of an order, in the quote currency; 0 for no maximum. Default 0. */
  readonly maxTotal?: string;
  /** Whether the market trades on collateral. Default true. */
  readonly isCollateral?: boolean;
  /** Maximum leverage, 1 to 100. Default 100. */
  readonly maxLeverage?: number;
  /**
   * The sandbox's own liquidity. Default: 60 levels, 0.05 % apart, each worth 30000 of the quote currency at the
   * initial price, which is deeper than the taker band.
   */
  readonly depth?: MarketDepth;
}

/** Percent. */
export const defaultFee = '0.1';

export const depthFields = {
  levels: c.integerFrom(0),
  step: c.numberFrom(0, 1),
  size: c.notNegative,
} satisfies c.ChecksOf<MarketDepth>;

export const marketFields = {
  name: c.market,
  price: v.optional(c.positive, '100'),
  stockPrec: v.optional(c.integerFrom(-30, 30), 6),
  moneyPrec: v.optional(c.integerFrom(-30, 30), 2),
  tickSize: v.optional(v.union([v.literal(''), c.positive]), ''),
  stepSize: v.optional(v.union([v.literal(''), c.positive]), ''),
  feePrec: v.optional(c.integerFrom(0, 30), 8),
  makerFee: v.optional(c.signed, defaultFee),
  takerFee: v.optional(c.signed, defaultFee),
  minAmount: v.optional(c.notNegative, '0.0001'),
  minTotal: v.optional(c.notNegative, '5'),
  maxTotal: v.optional(c.notNegative, '0'),
  isCollateral: v.optional(c.flag, true),
  maxLeverage: v.optional(c.numberFrom(1, 100), 100),
  depth: v.optional(c.fields(depthFields)),
} satisfies c.ChecksOf<SandboxMarketOptions>;

const marketOptions = c.fields(marketFields);

export interface Listing extends Omit<v.InferOutput<typeof marketOptions>, 'price' | 'depth'> {
  readonly stock: string;
  readonly money: string;
  /** `futures`: a perpetual, which trades on collateral only. */
  readonly type: 'spot' | 'futures';
  readonly startPrice: string;
  readonly depth: MarketDepth;
}

export const defaultMarkets: readonly SandboxMarketOptions[] = [
  { name: 'BTC_USDT', price: '60000', maxTotal: '10000000000' },
  { name: 'ETH_USDT', price: '3000', stockPrec: 5, minAmount: '0.001', maxLeverage: 50 },
  { name: 'LTC_USDT', price: '80', stockPrec: 4, minAmount: '0.01', isCollateral: false },
];

const levelWorth = 30_000;
export function listMarket(given: SandboxMarketOptions): Listing {
  const { price, depth: _depth, ...options } = v.parse(marketOptions, given);
  const size = floorTo(decimal(levelWorth).dividedBy(price), amountStep(options));
  return {
    ...options,
    ...currenciesOf(options.name),
    startPrice: price,
    depth: given.depth ?? { levels: 60, step: 0.0005, size: size.toFixed() },
  };
}

export function currenciesOf(market: string): Pick<Listing, 'stock' | 'money' | 'type'> {
  const [stock = '', money = ''] = market.split('_');
  return money === 'PERP' ? { stock, money: 'USDT', type: 'futures' } : { stock, money, type: 'spot' };
}

export function amountStep({ stepSize, stockPrec }: Pick<Listing, 'stepSize' | 'stockPrec'>): Decimal {
  return stepSize === '' ? decimalStep(stockPrec) : decimal(stepSize);
}

export function priceStep({ tickSize, moneyPrec }: Pick<Listing, 'tickSize' | 'moneyPrec'>): Decimal {
  return tickSize === '' ? decimalStep(moneyPrec) : decimal(tickSize);
}

export function floorTo(value: Decimal, step: Decimal): Decimal {
  return value.minus(value.modulo(step));
}

export function exactFeeOf(listing: Listing, role: 'maker' | 'taker', money: Decimal): Decimal {
  const percent = role === 'maker' ? listing.makerFee : listing.takerFee;
  return money.multipliedBy(percent).shiftedBy(-2);
}

/** Rounded up. */
export function roundFee({ feePrec }: Listing, fee: Decimal): Decimal {
  return fee.decimalPlaces(feePrec, 0);
}

type Leveraged = Pick<Listing, 'type' | 'maxLeverage'>;

/** The largest position at a leverage of 1, in the quote currency; at a leverage of 10, a tenth of it. */
const maxPosition = 50_000_000;

export function bracketsOf({ maxLeverage }: Leveraged): ReadonlyMap<number, number> {
  return new Map(
    leverages
      .filter((leverage) => leverage <= maxLeverage)
      .map((leverage) => [leverage, Math.floor(maxPosition / leverage)]),
  );
}

export function maxPositionAt({ type }: Leveraged, leverage: number): Decimal | undefined {
  return type === 'futures' ? decimal(Math.floor(maxPosition / leverage)) : undefined;
}

export function maxLeverageOf(listing: Leveraged, value: Decimal): number {
  const { type, maxLeverage } = listing;
  if (type !== 'futures' || value.isLessThanOrEqualTo(Math.floor(maxPosition / maxLeverage))) return maxLeverage;
  const fitting = [...bracketsOf(listing)].filter(([, max]) => value.isLessThanOrEqualTo(max));
  return Math.max(1, ...fitting.map(([leverage]) => leverage));
}
