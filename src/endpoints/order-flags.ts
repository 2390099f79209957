// The flags of limit orders, which spot and collateral orders share, and what they cannot be combined with.
import * as v from 'valibot';
import { flag, rule, type ParamsOf } from './fields.js';

export const orderFlags = {
  /**
   * Whether the order may execute as maker only. The exchange rejects it where it would match at once.
   *
   * @default false
   */
  postOnly: v.exactOptional(flag),
  /**
   * Immediate or cancel: fills what is available at once and cancels the rest. Cannot be combined with `postOnly` or
   * `rpi`.
   *
   * @default false
   */
  ioc: v.exactOptional(flag),
  /**
   * Whether the order is a Retail Price Improvement order, which is post-only. Cannot be combined with `ioc`.
   *
   * @default false
   */
  rpi: v.exactOptional(flag),
};

/** The flags of a limit order. */
export interface OrderFlags extends ParamsOf<typeof orderFlags> {}

/** An order that cancels its rest cannot rest as a maker, too. */
export function immediateAlone<Fields extends OrderFlags>() {
  return rule<Fields>(
    'ioc',
    ({ ioc, postOnly, rpi }) => ioc !== true || (postOnly !== true && rpi !== true),
    'cannot be combined with postOnly or rpi',
  );
}
