// Cancels of more than one order.
import { apiErrorCodes } from '../../model/error-body.js';
import { refused, type Rejection } from '../rejection.js';
import type { BookOrder } from './book-order.js';
import { killSwitchTypeOf, type CancelFilter } from './engine-api.js';
import type { Markets } from './markets.js';
import type { OrderLifecycle } from './order-lifecycle.js';
import type { Orders } from './orders.js';

export class Cancels {
  constructor(
    private readonly lifecycle: OrderLifecycle,
    private readonly orders: Orders,
    private readonly markets: Pick<Markets, 'book'>,
  ) {}

  all(account: string, { market, types, positionSide }: CancelFilter): void {
    this.#finish(
      ({ init }) =>
        init.account === account &&
        (market === undefined || init.market === market) &&
        types?.includes(killSwitchTypeOf(init)) !== false &&
        (positionSide === undefined || (init.positionSide ?? 'BOTH') === positionSide),
    );
  }

  /** An OTO order with its stop orders; by the field `id`, both orders of an OCO order, too. */
  conditional(account: string, market: string, id: number, field: 'id' | 'otoId'): void {
    const count = this.#finish(({ init }) => {
      const numbers = [init.oto?.otoId, init.childOf, ...(field === 'id' ? [init.ocoId] : [])];
      return init.account === account && init.market === market && numbers.includes(id);
    });
    if (count === 0) throw notFound(field);
  }

  delist(market: string): void {
    this.#finish(({ init }) => init.market === market, 'DELISTING');
  }

  /** Ends the open orders that match, those that an ending order places included; returns their number. */
  #finish(matches: (order: BookOrder) => boolean, status?: 'DELISTING'): number {
    let count = 0;
    for (const order of this.orders.allOpen) {
      if (!matches(order)) continue;
      this.lifecycle.finish(order, this.markets.book(order.init.market), status ?? order.canceledStatus);
      count += 1;
    }
    return count;
  }
}

export function notFound(field: string): Rejection {
  return refused(apiErrorCodes.orderNotFound, field, 'Unexecuted order was not found.');
}
