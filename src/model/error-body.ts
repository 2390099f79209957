// The error responses of the exchange: codes and bodies, as in the spec's table of errors.

/** Spec, Errors. A code has different meanings on different endpoints. */
export const apiErrorCodes = {
  /**
   * Live, with 422 and a field: a price that is not a multiple of the market's price step, or an amount that is not a
   * multiple of its amount step.
   */
  step: 1,
  /** Live: no such order is open; as an authentication error: the key is disabled. */
  orderNotFound: 2,
  /** Live, collateral orders: the margin of the account is insufficient. */
  balance: 10,
  /** Live: a maker-only order would have executed immediately. */
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
  /** Published: rpi together with retail. */
  rpiWithRetail: 41,
  /** reduceOnly without an open position, or on the side of the position. */
  reduceOnly: 116,
} as const;

/** Messages by the name of the parameter that they are about. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Spec, Errors: the error body of a private endpoint. */
export interface PrivateErrorBody {
  readonly code: number;
  readonly message: string;
  readonly errors: FieldErrors;
}
