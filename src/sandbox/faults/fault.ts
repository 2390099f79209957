// The faults that a test can inject: their kinds, and the fields that each kind uses.

/**
 * What happens to a request. The network or a gateway fails:
 * - `status`: the gateway responds with an HTTP status, 503 by default, and an HTML page.
 * - `refuse`: the connection is refused. On a port, where a connection is already open, the connection is reset.
 * - `reset`: the connection is reset before a response.
 * - `hang`: no response arrives.
 * - `late-arrival`: the connection is reset, and the request reaches the exchange later.
 * - `slow`: the response takes longer.
 * - `truncated`: the connection is reset in the middle of the response.
 * - `corrupt`: the response is 200 with a body that is not JSON.
 * - `empty`: the response is 200 without a body.
 * - `html`: the response is 200 with an HTML page.
 *
 * The exchange, or a proxy in front of it, does what clients assume to be impossible:
 * - `replay`: the request is executed, and a proxy loses the response and sends the same bytes again. The client gets
 *   the response to the copy, whose nonce was already used.
 * - `late-execution`: the gateway accepts the request and uses up its nonce. The connection is reset, and the engine
 *   executes the request later, however old its nonce is by then.
 * - `unexpected-fields`: at least one field of the response is null, absent, of another type or of an unknown value.
 *   Identifiers, market, side and status stay correct. A record's only value (a balance, the time) stays correct, as a
 *   number instead of a string or the reverse.
 * - `malformed-records`: every list and every map of records in the response holds one more record, which is malformed.
 *
 * `unexpected-fields` and `malformed-records` skip a response that they cannot change, such as an error or an empty
 * list, and wait for the next one.
 */
export type FaultKind =
  | 'status'
  | 'refuse'
  | 'reset'
  | 'hang'
  | 'late-arrival'
  | 'slow'
  | 'truncated'
  | 'corrupt'
  | 'empty'
  | 'html'
  | 'replay'
  | 'late-execution'
  | 'unexpected-fields'
  | 'malformed-records';

/** The kinds that networks and gateways are known to cause. */
export const commonFaultKinds: readonly FaultKind[] = [
  'status',
  'refuse',
  'reset',
  'hang',
  'late-arrival',
  'slow',
  'truncated',
  'corrupt',
  'empty',
  'html',
];

/** Every {@link FaultKind}. */
export const faultKinds: readonly FaultKind[] = [
  ...commonFaultKinds,
  'replay',
  'late-execution',
  'unexpected-fields',
  'malformed-records',
];

/** A fault to inject into the next requests. `sandbox.fault()` throws for a field that the kind does not use. */
export interface Fault {
  /** What happens to the requests. */
  readonly kind: FaultKind;
  /**
   * Only requests to this path. `/api/v4/public/trades/{market}` includes the path of every market. Default: requests to
   * every path.
   */
  readonly path?: string;
  /** How many requests meet the fault, 1 or more. Default 1. */
  readonly times?: number;
  /**
   * Whether the exchange executes the request although the client gets no proper response. Used by `status`, `reset`,
   * `hang`, `slow`, `truncated`, `corrupt`, `empty` and `html`. Default true for `slow`, `truncated`, `corrupt`,
   * `empty` and `html`, otherwise false. A `refuse` is never executed; every other kind always is.
   */
  readonly executed?: boolean;
  /** `status`: the HTTP status of the response, 200 to 599. Default 503. */
  readonly status?: number;
  /** `status`: the `Retry-After` header of the response, seconds. */
  readonly retryAfterSeconds?: number;
  /**
   * Delay by the sandbox's clock, milliseconds: of the request (`late-arrival`) or the response (`slow`), default 1000;
   * between `replay` and its copy, default 0; between acceptance and execution (`late-execution`), default 7000.
   */
  readonly delayMs?: number;
  /**
   * `late-arrival` and `late-execution`: the connection stays open without a response, instead of being reset. Default
   * false.
   */
  readonly hang?: boolean;
}

/** The fields that each kind uses besides `kind`, `path` and `times`. */
export const fieldsOfKind: Readonly<Record<FaultKind, readonly (keyof Fault)[]>> = {
  status: ['executed', 'status', 'retryAfterSeconds'],
  refuse: [],
  reset: ['executed'],
  hang: ['executed'],
  'late-arrival': ['delayMs', 'hang'],
  slow: ['executed', 'delayMs'],
  truncated: ['executed'],
  corrupt: ['executed'],
  empty: ['executed'],
  html: ['executed'],
  replay: ['delayMs'],
  'late-execution': ['delayMs', 'hang'],
  'unexpected-fields': [],
  'malformed-records': [],
};

/** An injected fault that has not met all of its requests yet. */
export interface PendingFault extends Fault {
  /** How many more requests will meet the fault. */
  readonly remaining: number;
}

/** Faults at random. The same seed gives the same faults. */
export interface RandomFaults {
  /** Seed of the random choices, an integer of 0 or more. */
  readonly seed: number;
  /** The share of requests that meet a fault, from 0 to 1. */
  readonly rate: number;
  /**
   * The kinds to choose from. Default: all except `replay`, `late-execution`, `unexpected-fields` and
   * `malformed-records`.
   */
  readonly kinds?: readonly FaultKind[];
  /** Only requests to these paths. Default: requests to every path. */
  readonly paths?: readonly string[];
  /**
   * Maximum delay of `late-arrival`, `slow` and the copy of `replay`, milliseconds. Every second copy is sent at once.
   * Default 1000.
   */
  readonly maxDelayMs?: number;
  /** Maximum delay between acceptance and execution of `late-execution`, milliseconds. Default 9000. */
  readonly maxExecutionDelayMs?: number;
}
