// What a rate limit is, and which request goes first. All limits are per IP address: every process behind one address
// shares them.

/** How many requests the exchange accepts in any window of this length. */
export interface LimitWindow {
  /** Requests, 1 or more. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

/** A rate limit of the exchange. */
export interface RateLimit extends LimitWindow {
  /**
   * Unique name, by which requests are counted and `limits` of the options overrides. Two rate limits of one name must
   * be equal: a request that brings a different one fails with {@link RequestError}.
   */
  readonly name: string;
}

/**
 * Which requests that wait for the same rate limit go first:
 * - `urgent`: before all others. A part of each limit and of the requests in flight is reserved for them. For cancels.
 * - `normal`: the default, in the order of arrival.
 */
export type Priority = 'urgent' | 'normal';
