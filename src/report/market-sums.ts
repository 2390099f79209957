// What an account has traded on one market with one wallet, added up fill by fill.
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import type { OrderSide, PositionSide } from '../model/order.js';
import { afterTrade, sumOf, type CostBasis, type Lots } from './cost-basis.js';

/** Profit in one currency. Amounts are decimal strings, exact to the last digit. */
export interface ReportProfit {
  /** Of trades that reduced a position, before fees. */
  readonly realized: string;
  /** Of what is held, at the last prices. */
  readonly unrealized: string;
  /** Fees that were paid. */
  readonly fees: string;
  /** Funding that was received; negative when more was paid. */
  readonly funding: string;
  /** `realized` + `unrealized` - `fees` + `funding`. */
  readonly profit: string;
}

/** What an account has traded on one market. */
export interface ReportMarket extends ReportProfit {
  readonly market: string;
  /** `trade`: spot orders. `collateral`: collateral orders. */
  readonly wallet: 'trade' | 'collateral';
  /** The quote currency: that of all money here. */
  readonly currency: string;
  readonly fills: number;
  /** Fills of orders that rested in the book. */
  readonly makerFills: number;
  /** Base currency. */
  readonly bought: string;
  /** Base currency. */
  readonly sold: string;
  /** The money of all fills. */
  readonly turnover: string;
  /** What is held because of these trades, base currency: negative when more was sold than bought. */
  readonly position: string;
  /** The price at which the position is valued: the last one of the market. */
  readonly price: string;
  /** The largest value of the position, long or short, at the prices of its fills. */
  readonly maxExposure: string;
}

/** An execution. Money is in `currency`. */
export interface ReportFill {
  /** Unix milliseconds. */
  readonly at: number;
  /** Name of the account. */
  readonly account: string;
  /** The order. */
  readonly order_id: number;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** `buy` or `sell`. */
  readonly side: OrderSide;
  /** `maker`: the order rested in the book. `taker`: the order matched on arrival. */
  readonly role: 'maker' | 'taker';
  /** The quote currency. */
  readonly currency: string;
  /** Execution price. */
  readonly price: string;
  /** Executed amount, in the base currency. */
  readonly amount: string;
  /** Executed amount times price. */
  readonly money: string;
  /** The fee. */
  readonly fee: string;
}

export interface Profit {
  readonly realized: Decimal;
  readonly unrealized: Decimal;
  readonly fees: Decimal;
  readonly funding: Decimal;
}

export function profitOf({ realized, unrealized, fees, funding }: Profit): Decimal {
  return realized.plus(unrealized).minus(fees).plus(funding);
}

export function writtenProfit(profit: Profit): ReportProfit {
  const { realized, unrealized, fees, funding } = profit;
  return {
    ...{ realized: formatDecimal(realized), unrealized: formatDecimal(unrealized), fees: formatDecimal(fees) },
    ...{ funding: formatDecimal(funding), profit: formatDecimal(profitOf(profit)) },
  };
}

export interface MarketSumsOf {
  readonly market: string;
  readonly wallet: ReportMarket['wallet'];
  readonly currency: string;
}

export class MarketSums {
  /** One position for each side in hedge mode, otherwise one. */
  readonly #positions = new Map<string, Lots>();
  #price = decimal(0);
  #realized = decimal(0);
  #fees = decimal(0);
  #funding = decimal(0);
  #bought = decimal(0);
  #sold = decimal(0);
  #turnover = decimal(0);
  #maxExposure = decimal(0);
  #fills = 0;
  #makerFills = 0;

  constructor(
    readonly of: MarketSumsOf,
    private readonly basis: CostBasis,
  ) {}

  fill({ side, amount, price, money, fee, role }: ReportFill, positionSide: PositionSide = 'BOTH'): void {
    const size = decimal(amount);
    this.#price = decimal(price);
    const { lots, profit } = afterTrade(this.#positions.get(positionSide) ?? [], {
      ...{ amount: side === 'buy' ? size : size.negated(), price: this.#price, basis: this.basis },
    });
    this.#positions.set(positionSide, lots);
    this.#realized = this.#realized.plus(profit);
    this.#fees = this.#fees.plus(fee);
    this.#turnover = this.#turnover.plus(money);
    if (side === 'buy') this.#bought = this.#bought.plus(size);
    else this.#sold = this.#sold.plus(size);
    this.#fills += 1;
    if (role === 'maker') this.#makerFills += 1;
    const exposure = this.#held()
      .reduce((sum, one) => sum.plus(one.amount.abs()), decimal(0))
      .multipliedBy(price);
    if (exposure.isGreaterThan(this.#maxExposure)) this.#maxExposure = exposure;
  }

  pay(funding: string): void {
    this.#funding = this.#funding.plus(funding);
  }

  /** Values the position at a price; without one, at the last one. */
  mark(price: string | undefined): void {
    if (price !== undefined) this.#price = decimal(price);
  }

  profit(): Profit {
    const unrealized = this.#held().reduce(
      (sum, { amount, cost }) => sum.plus(amount.multipliedBy(this.#price)).minus(cost),
      decimal(0),
    );
    return { realized: this.#realized, unrealized, fees: this.#fees, funding: this.#funding };
  }

  result(): ReportMarket {
    const position = this.#held().reduce((sum, { amount }) => sum.plus(amount), decimal(0));
    return {
      ...this.of,
      ...{ fills: this.#fills, makerFills: this.#makerFills },
      ...{ bought: formatDecimal(this.#bought), sold: formatDecimal(this.#sold) },
      ...{ turnover: formatDecimal(this.#turnover), position: formatDecimal(position) },
      ...{ price: formatDecimal(this.#price), maxExposure: formatDecimal(this.#maxExposure) },
      ...writtenProfit(this.profit()),
    };
  }

  #held() {
    return [...this.#positions.values()].map(sumOf);
  }
}
