// Accepts the orders of requests: builds each order, checks that the account can pay for it, and enters it.
import { decimal, type Decimal, formatDecimal } from '../../model/decimal.js';
import { apiErrorCodes } from '../../model/error-body.js';
import type { LedgerOrder } from '../ledger.js';
import { invalid } from '../rejection.js';
import { admitAmounts, admitHedgedSide, admitMarket, notEnoughBalance, wouldTake } from './admission.js';
import { min } from './amounts.js';
import { BookOrder, type NewBookOrder, type NewOrder } from './book-order.js';
import type { Margin } from './margin.js';
import type { Markets } from './markets.js';
import type { MatchPlan } from './matching.js';
import type { OrderBook } from './order-book.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { OrderReference, Orders } from './orders.js';
import type { Positions } from './positions.js';
import type { Reservations } from './reservations.js';

/** `total` is the amount of a stop market order that buys for an amount of the quote currency. */
interface OrderChanges extends Pick<NewOrder, 'price' | 'activation_price' | 'stp'> {
  readonly amount: string | undefined;
  readonly total: string | undefined;
}

export class OrderIntake {
  constructor(
    private readonly markets: Markets,
    private readonly orders: Orders,
    private readonly positions: Positions,
    private readonly lifecycle: OrderLifecycle,
    private readonly reservations: Reservations,
    private readonly margin: Margin,
  ) {}

  place(account: string, request: NewOrder): LedgerOrder {
    return this.#open(this.admit(account, request));
  }

  admit(account: string, request: NewOrder): NewBookOrder {
    const price = this.#priceOf(request);
    const { market, client_order_id } = request;
    if (client_order_id !== '' && this.orders.findOpen(account, market, { client_order_id }) !== undefined) {
      const message = 'This client order id is already used by the current account.';
      throw invalid(422, apiErrorCodes.clientOrderId, 'client_order_id', message);
    }
    return this.#initOf(account, request, price);
  }

  /** Cancels an open order and places it again, behind the others of its price. A rejected change leaves it open. */
  modify(account: string, market: string, reference: OrderReference, changes: OrderChanges): LedgerOrder {
    const order = this.orders.openOrder(account, market, reference);
    admitChanges(order, changes);
    const request = changedRequest(order, changes);
    const { order_id, timestamp } = order.init;
    const init = this.#initOf(account, request, this.#priceOf(request));
    this.#admit(new BookOrder({ ...init, order_id, timestamp }), order);
    this.lifecycle.finish(order);
    return this.#open(init);
  }

  #priceOf(request: NewOrder): Decimal | undefined {
    const book = admitMarket(this.markets.find(request.market), request.collateral ? 'collateral' : 'spot');
    const price = limitPriceOf(request, book);
    admitAmounts(request, book.listing, decimal(price ?? request.activation_price ?? book.price));
    return price;
  }

  #open(init: NewBookOrder): LedgerOrder {
    const order = this.lifecycle.open(init);
    const plan = this.#admit(order);
    if (plan === undefined) {
      this.lifecycle.wait(order);
      this.lifecycle.trigger(order, this.markets.book(init.market).price);
    } else this.lifecycle.enter(order, plan);
    return order.view();
  }

  #admit(order: BookOrder, replaced?: BookOrder): MatchPlan | undefined {
    const { collateral, postOnly, rpi, stop, type } = order.init;
    const plan = stop === undefined ? this.lifecycle.plan(order) : undefined;
    if ((postOnly || rpi) && plan !== undefined && plan.fills.length > 0) throw wouldTake(order.init);
    if (collateral) this.margin.admitSize(order, replaced);
    const canPay = collateral
      ? this.margin.canTake(order, replaced)
      : this.reservations.canPay(order, plan?.money ?? decimal(0), replaced);
    // Published: a modification has one refusal for spot and collateral.
    if (!canPay)
      throw collateral || replaced !== undefined
        ? invalid(422, apiErrorCodes.balance, 'amount', 'Not enough balance.')
        : notEnoughBalance(type);
    return plan;
  }

  #initOf(account: string, request: NewOrder, price: Decimal | undefined) {
    const { market, side, type, collateral, client_order_id, stp } = request;
    const { postOnly = false, ioc = false, rpi = false, retail = false, reduceOnly = false } = request;
    // Published: the direction of the trigger follows the side.
    const { activation_price, activationCondition: condition = side === 'buy' ? 'gte' : 'lte', childOf } = request;
    return {
      ...{ account, market, side, type, collateral, client_order_id, stp },
      ...{ postOnly, ioc, rpi, retail, reduceOnly },
      amount: decimal(request.amount),
      price: price ?? decimal(0),
      ...(activation_price === undefined ? {} : { stop: { condition, price: decimal(activation_price) } }),
      ...(childOf === undefined ? {} : { childOf }),
      ...(collateral ? this.#collateralTermsOf(account, request) : {}),
    };
  }

  #collateralTermsOf(account: string, request: NewOrder) {
    const { stopLoss, takeProfit, reduceOnly = false } = request;
    const isHedged = this.positions.isHedged(account);
    if (isHedged) admitHedgedSide(request.positionSide);
    const positionSide = isHedged ? request.positionSide : undefined;
    const reducible = this.positions.reducible({ ...request, account, positionSide });
    if (reduceOnly && reducible.isZero())
      throw invalid(422, apiErrorCodes.reduceOnly, 'reduceOnly', 'No position to reduce.');
    const requested = decimal(request.amount);
    // Published: in hedge mode an order that is larger than its position would open one in the opposite direction.
    const reduces = positionSide === (request.side === 'sell' ? 'LONG' : 'SHORT');
    if (reduces && !reduceOnly && requested.isGreaterThan(reducible))
      throw invalid(422, 115, 'amount', 'The order would open a position in the opposite direction.');
    const amount = reduceOnly ? min(requested, reducible) : requested;
    if (stopLoss === undefined && takeProfit === undefined) return { amount, positionSide };
    const stops = {
      ...(stopLoss === undefined ? {} : { stopLoss }),
      ...(takeProfit === undefined ? {} : { takeProfit }),
    };
    return { amount, positionSide, oto: { otoId: this.lifecycle.newConditionalId(), ...stops } };
  }
}

function admitChanges({ init, isQuoteAmount }: BookOrder, { amount, total, price, activation_price }: OrderChanges) {
  const refused = (field: string, message: string) => invalid(422, apiErrorCodes.validation, field, message);
  if (price !== undefined && init.price.isZero()) throw refused('price', 'The order has no price.');
  if (total !== undefined && !isQuoteAmount) throw refused('total', 'The order has no total: modify its amount.');
  if (amount !== undefined && isQuoteAmount) throw refused('amount', 'The amount of the order is a total.');
  if (activation_price !== undefined && init.stop === undefined)
    throw refused('activationPrice', 'The order has no activation price.');
}

function changedRequest({ init, left }: BookOrder, changes: OrderChanges): NewOrder {
  const { price, stop, oto, ...same } = init;
  return {
    ...{ ...same, stp: changes.stp, stopLoss: oto?.stopLoss, takeProfit: oto?.takeProfit },
    amount: changes.total ?? changes.amount ?? formatDecimal(left),
    price: changes.price ?? (price.isZero() ? undefined : formatDecimal(price)),
    activation_price: changes.activation_price ?? (stop && formatDecimal(stop.price)),
    activationCondition: stop?.condition,
  };
}

function limitPriceOf({ side, price, bboRole }: NewOrder, book: OrderBook): Decimal | undefined {
  if (bboRole === undefined) return price === undefined ? undefined : decimal(price);
  const [best] = book.offersFor((bboRole === 2) === (side === 'buy') ? 'buy' : 'sell');
  if (best === undefined) throw invalid(422, apiErrorCodes.price, 'bboRole', 'The order book has no best price.');
  return best.price;
}
