// The collateral accounts of the engine: what happens to positions beside the orders that trade them. The positions of an
// account whose equity is below its maintenance margin are closed at the market; orders without margin are canceled.
import { decimal, type Decimal } from '../../model/decimal.js';
import type { PositionSide } from '../../model/order.js';
import { invalid, Rejection } from '../rejection.js';
import type { Journal } from '../retention.js';
import { admitMarket } from './admission.js';
import type { BookOrder } from './book-order.js';
import type { LiquidationState } from './engine-api.js';
import type { FundingPayment, FundingPayments, FundingSettlement } from './funding.js';
import type { AccountRisk, Margin } from './margin.js';
import type { Markets } from './markets.js';
import type { OrderBook } from './order-book.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { Orders } from './orders.js';
import type { Position, PositionChange, Positions } from './positions.js';

export interface PositionToClose {
  readonly market: string;
  readonly positionId: number;
  readonly positionSide: PositionSide | undefined;
}

export interface CollateralParts {
  readonly orders: Orders;
  readonly positions: Positions;
  readonly lifecycle: OrderLifecycle;
  readonly risk: AccountRisk;
  readonly markets: Pick<Markets, 'book' | 'find' | 'price'>;
  readonly onState: (account: string, state: LiquidationState) => void;
  readonly history: Journal<PositionChange>;
  readonly payments: FundingPayments;
  readonly perpetuals: readonly string[];
  readonly hedged: Set<string>;
  readonly advance: () => void;
}

export class Collateral {
  readonly #liquidation: Liquidation;

  constructor(private readonly parts: CollateralParts) {
    this.#liquidation = new Liquidation(parts);
  }

  /**
   * Closes a position at the market, after canceling its stop loss and take profit. Rejected with code 104 when no such
   * position is open.
   */
  closePosition(account: string, { market, positionId, positionSide }: PositionToClose): void {
    const { advance, hedged, positions, lifecycle, markets } = this.parts;
    advance();
    const book = admitMarket(markets.find(market), 'collateral');
    const isHedged = hedged.has(account);
    if (isHedged && positionSide !== 'LONG' && positionSide !== 'SHORT')
      throw invalid(422, 114, 'positionSide', 'Position side must be LONG or SHORT in hedge mode.');
    const position = positions
      .inMarket(market)
      .find((held) => held.account === account && held.id === positionId && (!isHedged || held.side === positionSide));
    if (position === undefined) throw invalid(422, 104, 'positionId', 'Position was not found.');
    for (const stop of stopsOf(book, position)) lifecycle.finish(stop, book, 'CANCELED');
    closeAtMarket(lifecycle, book, markets.price(market), position);
  }

  /** Rejected with code 113 while positions or orders are open. */
  updateHedgeMode(account: string, enabled: boolean): void {
    const { advance, hedged, orders, positions } = this.parts;
    advance();
    if (positions.open(account).length > 0 || orders.openCollateral(account).length > 0)
      throw new Rejection(422, 113, 'Hedge mode cannot be changed while positions or orders are open.');
    if (enabled) hedged.add(account);
    else hedged.delete(account);
  }

  positionChanges(account: string): PositionChange[] {
    this.parts.advance();
    return this.parts.history.of(account);
  }

  closings(account: string): PositionChange[] {
    this.parts.advance();
    return this.parts.history.of(account).filter(({ position }) => position.amount.isZero());
  }

  fundingPayments(account: string): FundingPayment[] {
    this.parts.advance();
    return this.parts.payments.of(account);
  }

  adlQuantiles(account: string): AdlQuantile[] {
    const { advance, perpetuals, positions, risk } = this.parts;
    advance();
    return adlQuantiles(account, perpetuals, positions, risk);
  }

  priceMoved({ listing }: OrderBook): void {
    this.#liquidation.check(listing.name);
  }

  settleFunding({ listing }: OrderBook, settlement: FundingSettlement): void {
    this.parts.payments.settle(listing, settlement);
    this.#liquidation.check(listing.name);
  }

  forget(before: number): void {
    this.parts.history.forget(before);
    this.parts.payments.forget(before);
  }
}

class Liquidation {
  readonly #reported = new Map<string, LiquidationState>();

  constructor(private readonly parts: CollateralParts) {}

  /** Liquidates the accounts that the price of a market, or its funding, has brought below their maintenance margin. */
  check(market: string): void {
    const { positions, risk } = this.parts;
    const accounts = new Set(positions.inMarket(market).map(({ account }) => account));
    for (const account of accounts) {
      const state = risk.stateOf(account);
      this.#report(account, state);
      if (state !== 'liquidation') continue;
      this.#liquidate(account);
      this.#report(account, risk.stateOf(account));
    }
  }

  #report(account: string, state: LiquidationState): void {
    if (this.#reported.get(account) === state) return;
    this.#reported.set(account, state);
    this.parts.onState(account, state);
  }

  /** Cancels the open orders, then closes positions, the largest loss first, until the margin suffices. */
  #liquidate(account: string): void {
    const { orders, positions, lifecycle, risk, markets } = this.parts;
    for (const order of orders.openCollateral(account))
      if (order.isOpen) lifecycle.finish(order, markets.book(order.init.market), 'AUTO_CANCELED_LIQUIDATION');
    const worstFirst = positions
      .open(account)
      .sort((one, other) => risk.profitOf(one).comparedTo(risk.profitOf(other)) ?? 0);
    for (const position of worstFirst) {
      if (risk.stateOf(account) !== 'liquidation') return;
      const { market } = position;
      const book = markets.book(market);
      if (book.tradesEnabled && book.recorded?.isOpen !== false)
        closeAtMarket(lifecycle, book, markets.price(market), position, `${liquidationPrefix}${position.id}`);
    }
  }
}

/** Open orders whose margin was taken by losses (those of open positions, too), fees, funding or a withdrawal. */
export class MarginShortage {
  /** The equity of each account at its last check: its margin can become short only when the equity falls. */
  readonly #equities = new Map<string, Decimal>();

  constructor(
    private readonly parts: Pick<CollateralParts, 'lifecycle' | 'markets' | 'orders' | 'risk'>,
    private readonly margin: Margin,
  ) {}

  /** Cancels orders of the accounts whose equity has fallen, the newest first, until the margin suffices. */
  check(): void {
    const { risk, orders } = this.parts;
    for (const account of orders.collateralAccounts) {
      const equity = risk.equity(account);
      const before = this.#equities.get(account);
      if (before?.isLessThanOrEqualTo(equity) !== true) this.#cancel(account);
      this.#equities.set(account, equity);
    }
  }

  #cancel(account: string): void {
    const { orders, lifecycle, markets } = this.parts;
    if (!this.margin.isShort(account)) return;
    for (const order of orders.openCollateral(account).reverse()) {
      if (!order.isOpen || order.init.reduceOnly === true) continue;
      lifecycle.finish(order, markets.book(order.init.market), 'AUTO_CANCELED_USER_MARGIN');
      if (!this.margin.isShort(account)) return;
    }
  }
}

/** The beginning of the `client_order_id` of every order that liquidates a position. */
export const liquidationPrefix = 'liquidation_';

export function stopsOf(book: OrderBook, { account, side }: Position): BookOrder[] {
  return [...book.dormant].filter(
    ({ init }) => init.account === account && init.childOf !== undefined && (init.positionSide ?? 'BOTH') === side,
  );
}

/** Closes what the market takes of a position; without any offer, no order is placed. */
function closeAtMarket(
  lifecycle: OrderLifecycle,
  book: OrderBook,
  price: Decimal,
  { account, market, side, amount }: Position,
  client_order_id = '',
): void {
  const order = lifecycle.open({
    account,
    market,
    side: amount.isGreaterThan(0) ? 'sell' : 'buy',
    type: 'market',
    collateral: true,
    client_order_id,
    amount: amount.abs(),
    price: decimal(0),
    stp: 'no',
    reduceOnly: true,
    positionSide: side === 'BOTH' ? undefined : side,
  });
  const plan = lifecycle.plan(order, book, price);
  if (plan.fills.length > 0) lifecycle.enter(order, book, plan);
}

/** The rank of an account in a perpetual (the sandbox deleverages none): 0 is deleveraged last, 4 first; `undefined` without a position. */
interface AdlQuantile {
  readonly market: string;
  readonly long: number | undefined;
  readonly short: number | undefined;
}

const quantiles = 5;

function adlQuantiles(
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
