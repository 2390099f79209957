// The flags of limit orders, which spot and collateral orders share, and what they cannot be combined with.
import * as v from 'valibot';
import { flag } from './fields.js';

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

interface Flags {
  readonly postOnly?: boolean;
  readonly ioc?: boolean;
  readonly rpi?: boolean;
}

/** Whether an order that cancels its rest is not to rest as a maker, too. */
export function isImmediateAlone({ ioc, postOnly, rpi }: Flags): boolean {
  return ioc !== true || (postOnly !== true && rpi !== true);
}

/** The message about an order that is not {@link isImmediateAlone}. */
export const immediateAloneRule = 'cannot be combined with postOnly or rpi';
