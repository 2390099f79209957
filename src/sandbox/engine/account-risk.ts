// The risk of a collateral account: its equity, the margin that it must not fall below, the prices at which it would, and
// the rank of its positions for deleveraging. The sandbox deleverages none.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { Books } from '../books.js';
import { maxLeverageOf, type Listing } from './listing.js';
import type { Position, Positions } from './positions.js';

export const collateralMoney = 'USDT';

/** The maintenance margin, as a share of the initial margin at the maximum leverage of a position. */
const maintenanceShare = 0.5;
/** A margin call warns below this multiple of the maintenance margin. */
const marginCallFactor = 2;

export interface RiskMarkets {
  readonly listingOf: (market: string) => Listing;
  readonly priceOf: (market: string) => Decimal;
}

/** How far an account is from its liquidation; `undefined`: far. */
export type LiquidationState = 'margin_call' | 'liquidation' | undefined;

export class AccountRisk {
  constructor(
    private readonly books: Books,
    private readonly positions: Positions,
    private readonly markets: RiskMarkets,
  ) {}

  profitOf({ market, amount, cost }: Position): Decimal {
    return amount.multipliedBy(this.markets.priceOf(market)).minus(cost);
  }

  profit(account: string): Decimal {
    return this.positions.open(account).reduce((sum, position) => sum.plus(this.profitOf(position)), decimal(0));
  }

  equity(account: string): Decimal {
    return this.books.balance(account, 'collateral', collateralMoney).plus(this.profit(account));
  }

  /** The equity below which the account's positions are closed. */
  maintenanceMargin(account: string): Decimal {
    return this.positions
      .open(account)
      .reduce(
        (sum, position) =>
          sum.plus(
            position.amount
              .abs()
              .multipliedBy(this.markets.priceOf(position.market))
              .multipliedBy(this.#rateOf(position)),
          ),
        decimal(0),
      );
  }

  stateOf(account: string): LiquidationState {
    if (this.positions.open(account).length === 0) return undefined;
    const equity = this.equity(account);
    const maintenance = this.maintenanceMargin(account);
    if (equity.isLessThan(maintenance)) return 'liquidation';
    return equity.isLessThan(maintenance.multipliedBy(marginCallFactor)) ? 'margin_call' : undefined;
  }

  /**
   * The price of the market at which the account is liquidated while all other prices stay; `undefined` when no price
   * of it does that.
   */
  liquidationPrice(account: string, market: string): Decimal | undefined {
    const price = this.markets.priceOf(market);
    const held = this.positions.open(account).filter((position) => position.market === market);
    const amount = held.reduce((sum, position) => sum.plus(position.amount), decimal(0));
    const slope = held.reduce(
      (sum, position) => sum.plus(position.amount.abs().multipliedBy(this.#rateOf(position))),
      decimal(0),
    );
    // Solves: equity + amount * (p - price) = maintenance + slope * (p - price).
    const gap = this.maintenanceMargin(account).minus(this.equity(account));
    const liquidationPrice = price.plus(gap.dividedBy(amount.minus(slope)));
    return liquidationPrice.isGreaterThan(0) && liquidationPrice.isFinite() ? liquidationPrice : undefined;
  }

  /** By the cost of the position, so that the rate stays while the price moves. */
  #rateOf({ market, cost }: Position): Decimal {
    return decimal(maintenanceShare).dividedBy(maxLeverageOf(this.markets.listingOf(market), cost.abs()));
  }
}

/** The rank of an account in a perpetual: 0 is deleveraged last, 4 first; `undefined` without a position. */
export interface AdlQuantile {
  readonly market: string;
  readonly long: number | undefined;
  readonly short: number | undefined;
}

const quantiles = 5;

export function adlQuantiles(
  account: string,
  markets: readonly string[],
  positions: Positions,
  risk: AccountRisk,
): AdlQuantile[] {
  return markets.flatMap((market) => {
    const held = positions.inMarket(market);
    const quantileOf = (isLong: boolean) => {
      const side = held.filter(({ amount }) => amount.isGreaterThan(0) === isLong);
      const own = side.find((position) => position.account === account);
      if (own === undefined) return undefined;
      const score = scoreOf(own, risk);
      const safer = side.filter((position) => scoreOf(position, risk) < score).length;
      return Math.floor((quantiles * safer) / side.length);
    };
    const [long, short] = [quantileOf(true), quantileOf(false)];
    return long === undefined && short === undefined ? [] : [{ market, long, short }];
  });
}

/** Grows with profit and leverage; a loss counts less the higher the leverage is. */
function scoreOf(position: Position, risk: AccountRisk): number {
  const value = position.cost.abs();
  const profit = risk.profitOf(position).dividedBy(value).toNumber();
  const equity = risk.equity(position.account);
  const leverage = equity.isGreaterThan(0) ? value.dividedBy(equity).toNumber() : Number.POSITIVE_INFINITY;
  return profit > 0 ? profit * leverage : profit / leverage;
}
