// What a client does on the wire, for logs and metrics. Of parameters events hold the identifier of an order; of bodies
// and secrets, nothing.
import type { AnyExchangeError, Outcome } from '../errors/index.js';
import type { OrderEvent } from '../orders/index.js';
import type { SchedulerEvent } from '../scheduler/index.js';

/** What every event of a call says of it. */
export interface AttemptEvent {
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** Name of the rate-limit group. */
  readonly rateLimit: string;
  /** Number of the call in its client, from 1: the same for all attempts of a call. */
  readonly call: number;
  /** The identifier of the order that the call is about, when it names one. */
  readonly client_order_id?: string;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
}

/** A request had to wait for its permit, for a millisecond or more, or was refused one. */
export interface WaitEvent extends AttemptEvent {
  /** Tells the events apart. */
  readonly type: 'wait';
  /** How long it waited, milliseconds. */
  readonly waitedMs: number;
  /** Why it was refused; absent when it was granted. */
  readonly kind?: AnyExchangeError['kind'];
}

/** A request is being sent: it has its permit, its nonce and its signature. */
export interface RequestEvent extends AttemptEvent {
  /** Tells the events apart. */
  readonly type: 'request';
}

/** A request ended: with an output, with an error, or because its subscriber left. */
export interface ResponseEvent extends AttemptEvent {
  /** Tells the events apart. */
  readonly type: 'response';
  /** From sending to the end of the answer, milliseconds. */
  readonly durationMs: number;
  /**
   * `ok`: with an output. `error`: with an error, see `kind`. `canceled`: the subscriber left, and the request was
   * aborted.
   */
  readonly result: 'ok' | 'error' | 'canceled';
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** Kind of the error, when it ended with one. */
  readonly kind?: AnyExchangeError['kind'];
  /** What became of the request, when it ended with an error. */
  readonly outcome?: Outcome;
}

/** A response had records that could not be read: the output is without them. */
export interface UnreadableEvent extends AttemptEvent {
  /** Tells the events apart. */
  readonly type: 'unreadable';
  /** How many records were left out. */
  readonly count: number;
  /** Where the first one is in the response, and how it differs, without any of its values: `3.side is missing`. */
  readonly sample: string;
}

/** An attempt failed and will be repeated. */
export interface RetryEvent extends AttemptEvent {
  /** Tells the events apart. */
  readonly type: 'retry';
  /** How long it waits before, milliseconds. */
  readonly delayMs: number;
  /** Kind of the error that it repeats after. */
  readonly kind: AnyExchangeError['kind'];
  /** What became of the request that it repeats. */
  readonly outcome: Outcome;
}

/** What happens to one call: {@link CallOptions.onEvent} is told these. */
export type CallEvent = WaitEvent | RequestEvent | ResponseEvent | UnreadableEvent | RetryEvent;

/**
 * What a client tells of itself on `events$`: of its calls, of its orders whose answers were lost, of its limits.
 * Switch on `type`.
 */
export type ClientEvent = CallEvent | OrderEvent | SchedulerEvent;
