// The events of a call, for logs and metrics. Events have the identifier of an order, but no other parameter, no body
// and no secret.
import type { AnyExchangeError, Outcome } from '../errors/index.js';

/** What all events of a call have. */
export interface AttemptEvent {
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** Name of the rate limit. */
  readonly rateLimit: string;
  /** Number of the call in its client, from 1; the same in all attempts of the call. */
  readonly call: number;
  /** The identifier of the order that the call is about, when it names one. */
  readonly client_order_id?: string;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
}

/** A request waited for its permit for a millisecond or more, or got none. */
export interface WaitEvent extends AttemptEvent {
  /** Discriminates the events. */
  readonly type: 'wait';
  /** How long it waited, milliseconds. */
  readonly waitedMs: number;
  /** Kind of the error, when the request got no permit. */
  readonly kind?: AnyExchangeError['kind'];
}

/** A request is sent: it has its permit, its nonce and its signature. */
export interface RequestEvent extends AttemptEvent {
  /** Discriminates the events. */
  readonly type: 'request';
}

/** A request ended: with an output, with an error, or because its subscriber unsubscribed. */
export interface ResponseEvent extends AttemptEvent {
  /** Discriminates the events. */
  readonly type: 'response';
  /** From sending the request to the end of the response, milliseconds. */
  readonly durationMs: number;
  /**
   * `ok`: with an output. `error`: with an error of this `kind`. `canceled`: the subscriber unsubscribed, and the
   * request was aborted.
   */
  readonly result: 'ok' | 'error' | 'canceled';
  /** HTTP status, when there was a response. */
  readonly status?: number;
  /** Kind of the error, when it ended with one. */
  readonly kind?: AnyExchangeError['kind'];
  /** Whether the request was executed, when it ended with an error. */
  readonly outcome?: Outcome;
}

/** A response had records that could not be read: the output lacks them. */
export interface UnreadableEvent extends AttemptEvent {
  /** Discriminates the events. */
  readonly type: 'unreadable';
  /** How many records were left out. */
  readonly count: number;
  /** Where the first record is, and how it differs, without any of its values: `3.side is missing`. */
  readonly sample: string;
}

/** An attempt failed and will be retried. */
export interface RetryEvent extends AttemptEvent {
  /** Discriminates the events. */
  readonly type: 'retry';
  /** The wait before the retry, milliseconds. */
  readonly delayMs: number;
  /** Kind of the error of the failed attempt. */
  readonly kind: AnyExchangeError['kind'];
  /** Whether the request of the failed attempt was executed. */
  readonly outcome: Outcome;
}

/** The events of one call: {@link CallOptions.onEvent} gets them. */
export type CallEvent = WaitEvent | RequestEvent | ResponseEvent | UnreadableEvent | RetryEvent;
