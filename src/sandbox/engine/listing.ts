// A market of the sandbox: its rules, its price and its depth.
import { decimal, decimalStep, type Decimal } from '../../model/decimal.js';

/** How much the sandbox itself offers on either side of the price. */
export interface Depth {
  /** Price levels on each side. */
  readonly levels: number;
  /** Distance from one level to the next, as a share of the price. */
  readonly step: number;
  /** Amount of each level, in the base currency. */
  readonly size: string;
}

/** A market to open in the sandbox. Everything but the name has a default. */
export interface SandboxMarketOptions {
  /** The pair, `BASE_QUOTE`. */
  readonly name: string;
  /** Price at the start, in the quote currency. Default 100. */
  readonly price?: string;
  /** Decimal places of amounts; a negative count is one of zeros at the end: -3 are multiples of 1000. Default 6. */
  readonly stockPrec?: number;
  /** Decimal places of prices. Default 2. */
  readonly moneyPrec?: number;
  /** The price step, a decimal string; empty: the decimal places say it. Default empty. */
  readonly tickSize?: string;
  /** The amount step, a decimal string; empty: the decimal places say it. Default empty. */
  readonly stepSize?: string;
  /** Decimal places of fees. Default 8. */
  readonly feePrec?: number;
  /** Fee of an order that rested, per cent. Default 0.1. */
  readonly makerFee?: string;
  /** Fee of an order that came and matched, per cent. Default 0.1. */
  readonly takerFee?: string;
  /** The least amount of an order, in the base currency. Default 0.0001. */
  readonly minAmount?: string;
  /** The least total of an order, in the quote currency. Default 5. */
  readonly minTotal?: string;
  /** The greatest total of an order, in the quote currency. Default 0: no bound. */
  readonly maxTotal?: string;
  /** Whether it trades on collateral. Default true. */
  readonly isCollateral?: boolean;
  /** The greatest leverage it is traded with, 1 to 100. Default 100. */
  readonly maxLeverage?: number;
  /** How far from the best price a market order may be filled, as a share of it. Default 0.02. */
  readonly takerBand?: number;
  /**
   * What the sandbox itself offers. Default: 60 levels, 0.05 % apart, each worth 30000 of the quote currency at the
   * start: deeper than the taker band.
   */
  readonly depth?: Depth;
}

/** A market that is open in the sandbox. */
export interface Listing {
  readonly name: string;
  readonly stock: string;
  readonly money: string;
  readonly stockPrec: number;
  readonly moneyPrec: number;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly feePrec: number;
  readonly makerFee: string;
  readonly takerFee: string;
  readonly minAmount: string;
  readonly minTotal: string;
  readonly maxTotal: string;
  readonly isCollateral: boolean;
  readonly maxLeverage: number;
  readonly takerBand: number;
  readonly startPrice: string;
  readonly depth: Depth;
}

/** The markets of a sandbox that is not given any: two that trade on collateral too, and one that does not. */
export const defaultMarkets: readonly SandboxMarketOptions[] = [
  {
    name: 'BTC_USDT',
    price: '60000',
    stockPrec: 6,
    moneyPrec: 2,
    minAmount: '0.0001',
    minTotal: '5',
    maxTotal: '10000000000',
  },
  { name: 'ETH_USDT', price: '3000', stockPrec: 5, moneyPrec: 2, minAmount: '0.001', minTotal: '5', maxLeverage: 50 },
  { name: 'LTC_USDT', price: '80', stockPrec: 4, moneyPrec: 2, minAmount: '0.01', isCollateral: false },
];

const levelWorth = 30_000;

export function listMarket(options: SandboxMarketOptions): Listing {
  const [stock, money] = options.name.split('_');
  if (stock === undefined || money === undefined)
    throw new Error(`"${options.name}" is not a market such as "BTC_USDT"`);
  const { price = '100', stockPrec = 6 } = options;
  const size = floorTo(
    decimal(levelWorth).dividedBy(price),
    amountStep({ stockPrec, stepSize: options.stepSize ?? '' }),
  );
  return {
    name: options.name,
    stock,
    money,
    stockPrec,
    moneyPrec: options.moneyPrec ?? 2,
    tickSize: options.tickSize ?? '',
    stepSize: options.stepSize ?? '',
    feePrec: options.feePrec ?? 8,
    makerFee: options.makerFee ?? '0.1',
    takerFee: options.takerFee ?? '0.1',
    minAmount: options.minAmount ?? '0.0001',
    minTotal: options.minTotal ?? '5',
    maxTotal: options.maxTotal ?? '0',
    isCollateral: options.isCollateral ?? true,
    maxLeverage: options.maxLeverage ?? 100,
    takerBand: options.takerBand ?? 0.02,
    startPrice: price,
    depth: options.depth ?? { levels: 60, step: 0.0005, size: size.toFixed() },
  };
}

/** A market on the wire. */
export type MarketRecord = Readonly<Record<string, unknown>>;

/** The market as `GET /api/v4/public/markets` answers it. */
export function marketRecord(listing: Listing, tradesEnabled: boolean): MarketRecord {
  return {
    name: listing.name,
    stock: listing.stock,
    money: listing.money,
    stockPrec: String(listing.stockPrec),
    moneyPrec: String(listing.moneyPrec),
    tickSize: listing.tickSize,
    stepSize: listing.stepSize,
    feePrec: String(listing.feePrec),
    makerFee: listing.makerFee,
    takerFee: listing.takerFee,
    minAmount: listing.minAmount,
    minTotal: listing.minTotal,
    maxTotal: listing.maxTotal,
    max_leverage: listing.maxLeverage,
    tradesEnabled,
    isCollateral: listing.isCollateral,
    type: 'spot',
    isTradFiFutures: false,
    delistedAt: null,
  };
}

/** What the market's amounts are multiples of. */
export function amountStep({ stepSize, stockPrec }: Pick<Listing, 'stepSize' | 'stockPrec'>): Decimal {
  return stepSize === '' ? decimalStep(stockPrec) : decimal(stepSize);
}

/** What the market's prices are multiples of. */
export function priceStep({ tickSize, moneyPrec }: Pick<Listing, 'tickSize' | 'moneyPrec'>): Decimal {
  return tickSize === '' ? decimalStep(moneyPrec) : decimal(tickSize);
}

/** The next multiple of a step that is not above the value. */
export function floorTo(value: Decimal, step: Decimal): Decimal {
  return value.minus(value.modulo(step));
}

/** The fee for an amount of money, rounded up to the market's fee places. */
export function feeOf(listing: Listing, role: 'maker' | 'taker', money: Decimal): Decimal {
  const percent = role === 'maker' ? listing.makerFee : listing.takerFee;
  const roundUp = 0;
  return money.multipliedBy(percent).shiftedBy(-2).decimalPlaces(listing.feePrec, roundUp);
}
