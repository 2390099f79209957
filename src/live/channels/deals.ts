// Channel `deals`: the executions of the account, each at once.
import { dealSchema, executionOf, type Execution } from '../../model/deal.js';
import { sideOf } from '../../model/live-order.js';
import { everyKey, type Channel } from '../channel.js';
import { itemOf, listIn, readBy } from './read.js';

/** A push is one execution: a tuple, of which older messages lack the end. */
export const deals: Channel<Execution> = {
  name: 'deals',
  method: 'deals',
  params: (keys) => [keys.includes(everyKey) ? [] : keys],
  isPrivate: true,
  read: (params) => {
    const [id, time, market, order_id, price, amount, fee, client_order_id, side, role, feeAsset] =
      listIn(params) ?? [];
    if (typeof market !== 'string') return undefined;
    const record = { id, time, order_id, price, amount, fee, client_order_id, role, feeAsset };
    const deal = readBy(dealSchema, { ...record, side: sideOf(side) });
    return [itemOf(market, deal === undefined ? undefined : executionOf(market, deal))];
  },
};
