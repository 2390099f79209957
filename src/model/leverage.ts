// The leverages that an account may set.

/** Spec, Limits: the accepted values; a market's `max_leverage` may cap them. */
export const leverages = [1, 2, 3, 5, 10, 20, 50, 100] as const;

/** A leverage that the exchange accepts: 1 (none), 2, 3, 5, 10, 20, 50 or 100. */
export type Leverage = (typeof leverages)[number];
