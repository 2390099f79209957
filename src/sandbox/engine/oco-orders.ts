// OCO orders: the first of a limit order and a stop limit order that trades, is triggered or ends cancels the other.
import { decimal } from '../../model/decimal.js';
import { refused } from '../rejection.js';
import { admitPrices, notFound } from './admission.js';
import type { BookOrder, NewOrder } from './book-order.js';
import { priceStep } from './listing.js';
import type { Margin } from './margin.js';
import type { Markets } from './markets.js';
import type { OrderIntake } from './order-intake.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { OrderReference, Orders } from './orders.js';

type OcoTerm = 'market' | 'side' | 'amount' | 'client_order_id' | 'stp' | 'positionSide' | 'reduceOnly';
type OcoPrice = 'price' | 'activation_price' | 'stop_limit_price';

type NewOcoOrder = Pick<NewOrder, OcoTerm> & Readonly<Record<OcoPrice, string>>;

interface OcoPair {
  readonly id: number;
  readonly stopLoss: BookOrder;
  readonly takeProfit: BookOrder;
}

const codes = { wouldTake: 14, activationSide: 151, takeProfitBalance: 152, stopLossBalance: 153 } as const;

export class OcoOrders {
  constructor(
    private readonly lifecycle: OrderLifecycle,
    private readonly orders: Orders,
    private readonly margin: Margin,
    private readonly intake: Pick<OrderIntake, 'admit'>,
    private readonly markets: Pick<Markets, 'book'>,
  ) {}

  place(account: string, { activation_price, stop_limit_price, ...order }: NewOcoOrder): OcoView {
    const limit: NewOrder = { ...order, type: 'limit', collateral: true };
    const init = this.intake.admit(account, limit);
    const book = this.markets.book(order.market);
    admitPrices({ activation_price, stop_limit_price }, priceStep(book.listing));
    const stopInit = this.intake.admit(account, { ...limit, price: stop_limit_price });
    const price = decimal(activation_price);
    const isBuy = order.side === 'buy';
    if (isBuy ? price.isLessThanOrEqualTo(book.price) : price.isGreaterThanOrEqualTo(book.price)) {
      throw refused(codes.activationSide, 'activation_price', `Must be ${isBuy ? 'above' : 'below'} the last price.`);
    }
    const ocoId = this.lifecycle.newConditionalId();
    const takeProfit = this.lifecycle.open({ ...init, ocoId });
    const plan = this.lifecycle.plan(takeProfit);
    if (plan.fills.length > 0) throw refused(codes.wouldTake, 'price', 'The order would be executed as taker.');
    const stop = { condition: isBuy ? 'gte' : 'lte', price } as const;
    const openStop = () => this.lifecycle.open({ ...stopInit, type: 'stop limit', stop, ocoId });
    for (const [code, one] of [
      [codes.takeProfitBalance, takeProfit],
      [codes.stopLossBalance, openStop()],
    ] as const) {
      if (!this.margin.canTake(one)) throw refused(code, 'amount', 'Not enough balance.');
    }

    this.lifecycle.enter(takeProfit, plan);
    // The number of an order is that of the orders which entered before it.
    const stopLoss = openStop();
    this.lifecycle.wait(stopLoss);
    this.#link(takeProfit, stopLoss);
    return ocoViewOf({ id: ocoId, stopLoss, takeProfit });
  }

  list(account: string): OcoView[] {
    return pairsOf(this.orders.open(account)).reverse().map(ocoViewOf);
  }

  cancel(account: string, market: string, reference: OrderReference): OcoView {
    const open = this.orders.open(account).filter(({ init }) => init.market === market);
    const pair = pairsOf(open).find(({ id, takeProfit: { init } }) =>
      'order_id' in reference ? id === reference.order_id : init.client_order_id === reference.client_order_id,
    );
    if (pair === undefined) throw notFound('order_id');
    this.lifecycle.finish(pair.takeProfit);
    return ocoViewOf(pair);
  }

  #link(one: BookOrder, two: BookOrder): void {
    const ending = (other: BookOrder) => () => {
      one.onProgress = undefined;
      two.onProgress = undefined;
      this.lifecycle.finish(other);
    };
    one.onProgress = ending(two);
    two.onProgress = ending(one);
  }
}

function pairsOf(orders: readonly BookOrder[]): OcoPair[] {
  return orders.flatMap((takeProfit) => {
    const { ocoId: id, stop } = takeProfit.init;
    const stopLoss = orders.find((other) => id !== undefined && other !== takeProfit && other.init.ocoId === id);
    return id === undefined || stop !== undefined || stopLoss === undefined ? [] : [{ id, stopLoss, takeProfit }];
  });
}

export type OcoView = ReturnType<typeof ocoViewOf>;

function ocoViewOf({ id, stopLoss, takeProfit }: OcoPair) {
  return { id, stopLoss: stopLoss.view(), takeProfit: takeProfit.view() };
}
