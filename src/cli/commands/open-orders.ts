// The open orders, with those that wait for a condition.
import { Option } from 'commander';
import { concat, concatMap, EMPTY, from, of, toArray, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import { ordersOf } from '../../model/conditional-order.js';
import { isNothing, type Order } from '../../model/order.js';

export interface OpenOrder extends Order {
  readonly conditionalId?: number;
}

export const priceOf = ({ price, activation_price }: Pick<Order, 'price' | 'activation_price'>) =>
  isNothing(price) ? activation_price : price;

const conditionalPage = 100;

/** The open orders, those with the number of their conditional order last. The list of open orders lacks some of these. */
export function openOrders(exchange: Exchange, market: string | undefined): Observable<OpenOrder> {
  const filter = market === undefined ? {} : { market };
  const conditionalFrom = (offset: number): Observable<OpenOrder> =>
    exchange.orders.conditional({ ...filter, limit: conditionalPage, offset }).pipe(
      concatMap(({ records }) => {
        const orders = records.flatMap((record) =>
          ordersOf(record).map((order) => (record.id === undefined ? order : { ...order, conditionalId: record.id })),
        );
        const rest$ = records.length < conditionalPage ? EMPTY : conditionalFrom(offset + conditionalPage);
        return concat(from(orders), rest$);
      }),
    );
  return conditionalFrom(0).pipe(
    toArray(),
    concatMap((conditional) => {
      const ids = new Set(conditional.map(({ order_id }) => order_id));
      const plain$ = exchange.orders.listAllOpen(filter);
      return concat(
        plain$.pipe(concatMap((order) => (ids.has(order.order_id) ? EMPTY : of(order)))),
        from(conditional),
      );
    }),
  );
}

export function marketOption(): Option {
  return new Option('--market <market>', 'only of this market, such as BTC_USDT');
}
