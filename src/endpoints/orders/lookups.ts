// How orders are looked up: by which parameters, and in which lists.
import type { OcoLists, OrderLookup } from '../../endpoint/index.js';
import { legsOf, type OcoOrder } from '../../model/oco-order.js';
import { hasDeals, isOpen, type Order } from '../../model/order.js';
import { clientOrderId, marketName } from '../fields.js';
import { conditional } from './conditional.js';
import { history } from './history.js';
import { oco } from './oco.js';
import { open } from './open.js';

/** What identifies an order that is looked up. */
export const keyParams = { market: marketName, client_order_id: clientOrderId };

const lists: OcoLists = { oco, conditional, open, history };

/** The lookup of orders that may have a stop loss or a take profit. */
export const orderLookup: OrderLookup<Order> = { finds: 'order', lists, outputOf: (order) => order };

/** The lookup of orders without a stop loss and a take profit: the conditional orders say nothing about them. */
export const plainOrderLookup: OrderLookup<Order> = { ...orderLookup, isConditional: false };

/** The lookup of OCO orders, with both of their orders. */
export const ocoLookup: OrderLookup<OcoOrder> = { finds: 'OCO order', lists, outputOf: (oco) => oco };

/** The lookup of OCO orders that finds one of their orders: the one that was filled, if either was. */
export const orderOfOcoLookup: OrderLookup<Order> = {
  finds: 'OCO order',
  lists,
  outputOf: (oco) => {
    const orders = legsOf(oco);
    return orders.find(hasDeals) ?? orders.find(isOpen) ?? orders[0];
  },
};
