// What the exchange answers when it refuses: codes and bodies, as the spec's table of errors gives them.

/** Spec, Errors. The same number means other things on other endpoints: read it together with the endpoint. */
export const apiErrorCodes = {
  /**
   * Live, with 422 and a field: a price that is no multiple of the market's price step, or an amount that is none of
   * its amount step.
   */
  step: 1,
  /** Live: no such order is open; and, of who asks, a key that is switched off. */
  orderNotFound: 2,
  /** Live, collateral orders: the account has not got the margin. */
  balance: 10,
  /** Live: an order that may only be a maker would have been executed at once. */
  wouldTake: 13,
  /** Default validation error. */
  validation: 30,
  /** Market validation failed. */
  market: 31,
  /** Amount validation failed. */
  amount: 32,
  /** Price validation failed. */
  price: 33,
  /** client_order_id validation failed. */
  clientOrderId: 36,
  /** Spec: rpi=true together with ioc=true. Live: ioc together with postOnly. */
  conflictingFlags: 37,
  /** Live: rpi together with ioc. */
  rpiWithIoc: 40,
  /** reduceOnly without an open position, or on the side of the position. */
  reduceOnly: 116,
} as const;

/** Messages by the name of the parameter that they are about. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Spec, Errors: the body of a refusal by a private endpoint. */
export interface PrivateErrorBody {
  readonly code: number;
  readonly message: string;
  readonly errors: FieldErrors;
}

/** Spec, Errors: the body of a refusal by a public endpoint. */
export interface PublicErrorBody {
  readonly success: false;
  readonly message: string;
  readonly params: readonly unknown[];
}
