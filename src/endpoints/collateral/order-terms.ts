// The parameters that the orders of the collateral account share, beside those of every order.
import * as v from 'valibot';
import { positionSides } from '../../model/order.js';
import type { TriggerPrices } from '../../model/order-to-check.js';
import { flag, oneOf, positiveDecimal, rule, type ParamsOf } from '../fields.js';

export const collateralOrderParams = {
  /** Price of a stop loss, quote currency. With it the order is an OTO order. */
  stopLoss: v.exactOptional(positiveDecimal),
  /** Price of a take profit, quote currency. With it the order is an OTO order. */
  takeProfit: v.exactOptional(positiveDecimal),
  /** Side of the position. Required as `LONG` or `SHORT` in hedge mode; ignored otherwise. */
  positionSide: v.exactOptional(oneOf(positionSides)),
  /**
   * Whether the order may only reduce or close a position. An amount above the position is reduced to it. Cannot be
   * combined with `stopLoss` or `takeProfit`.
   *
   * @default false
   */
  reduceOnly: v.exactOptional(flag),
};

/** The parameters of every collateral order. */
export interface CollateralOrderParams extends ParamsOf<typeof collateralOrderParams> {}

interface LinkedPrices {
  readonly stopLoss?: string;
  readonly takeProfit?: string;
}

/** An order that reduces a position has no linked orders. */
export function reducesAlone<Fields extends LinkedPrices & { readonly reduceOnly?: boolean }>() {
  return rule<Fields>(
    'reduceOnly',
    ({ reduceOnly, stopLoss, takeProfit }) =>
      reduceOnly !== true || (stopLoss === undefined && takeProfit === undefined),
    'cannot be combined with stopLoss or takeProfit',
  );
}

/** The prices of the linked orders, as they are checked. */
export function linkedToCheck({ stopLoss, takeProfit }: LinkedPrices): TriggerPrices {
  return { ...(stopLoss === undefined ? {} : { stopLoss }), ...(takeProfit === undefined ? {} : { takeProfit }) };
}
