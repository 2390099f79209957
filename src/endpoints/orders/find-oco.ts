import * as v from 'valibot';
import type { OrderSearch } from '../../endpoint/index.js';
import type { OcoOrder } from '../../model/oco-order.js';
import { placeOcoOrder } from '../collateral/place-oco-order.js';
import type { FindParams } from './find.js';
import { keyParams, ocoLookup } from './lookups.js';

/** Parameters of {@link findOco}. */
export interface FindOcoParams extends Omit<FindParams, 'endpoint'> {}

/**
 * Looks up an OCO order that was placed before, with both of its orders, and ends as `orders.find` does, which emits one
 * of them. The OCO order has no `id` after one of its orders was activated or filled. Sends no order.
 *
 * @example
 * ```ts
 * exchange.orders.findOco({ market: 'BTC_USDT', client_order_id: 'my-oco-7' }).subscribe({
 *   next: ({ take_profit, stop_loss }) => console.log(take_profit?.status, stop_loss?.status),
 *   error: (error: unknown) => console.log('not placed, or not known', error),
 * });
 * ```
 */
export const findOco: OrderSearch<FindOcoParams, OcoOrder> = {
  name: 'orders.findOco',
  request: v.looseObject(keyParams),
  sentTo: placeOcoOrder.name,
  ...ocoLookup,
};
