// An order as the private channels write it: names with underscores, and numbers for its type and side.
import { liveStpModes, type OrderSide } from '../../../model/order.js';
import { currenciesOf, liquidationPrefix } from '../../engine/index.js';
import { liveStatusOf } from '../../http/index.js';
import type { LedgerOrder } from '../../ledger.js';

const spotTypes = { limit: 1, market: 2, 'stock market': 202, 'stop limit': 3, 'stop market': 4 } as const;
const collateralTypes = { limit: 7, market: 8, 'stock market': 8, 'stop limit': 9, 'stop market': 10 } as const;
const sides = { sell: 1, buy: 2 } as const;

export function sideNumber(side: OrderSide): 1 | 2 {
  return sides[side];
}

export function typeNumber({ type, collateral }: LedgerOrder): number {
  return (collateral ? collateralTypes : spotTypes)[type];
}

/** An order in `ordersPending`, and in a message of `ordersExecuted`. */
export function orderRecord(order: LedgerOrder) {
  const { retail, reduceOnly, positionSide = 'BOTH', stp, collateral, left } = order;
  return {
    ...sharedFields(order),
    left,
    stp: liveStpModes[stp],
    position_side: positionSide,
    reduce_only: reduceOnly,
    ...(collateral ? {} : { retail }),
    ...stopFields(order),
  };
}

/** An ended order in the response of `ordersExecuted_request`. */
export function executedRecord(order: LedgerOrder) {
  const isLiquidation = order.client_order_id.startsWith(liquidationPrefix);
  return {
    ...sharedFields(order),
    ftime: order.ftime,
    source: isLiquidation ? 'liquidation' : 'api',
    fee_asset: currenciesOf(order.market).money,
    ...stopFields(order),
  };
}

function sharedFields(order: LedgerOrder) {
  const { order_id: id, market, postOnly: post_only, ioc, rpi, timestamp: ctime, mtime, price, amount } = order;
  const { deal_stock, deal_money, deal_fee, client_order_id } = order;
  return {
    ...{ id, market, type: typeNumber(order), side: sideNumber(order.side), post_only, ioc, rpi, ctime, mtime },
    ...{ price, amount, deal_stock, deal_money, deal_fee, client_order_id },
    status: liveStatusOf(order),
  };
}

function stopFields({ activation_price, activationCondition: activation_condition, activated }: LedgerOrder) {
  return activation_price === undefined ? {} : { activation_price, activation_condition, activated };
}
