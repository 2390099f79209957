// The options of one call: time limits, retries and priority, with the client's options as defaults; and its events, for
// logs and metrics. Events have the identifier of an order, but no other parameter, no body and no secret.
import { fromEvent, share, Subject, type Observable } from 'rxjs';
import {
  RequestError,
  aFunction,
  durationAbove0,
  optionsOf,
  parse,
  rule,
  withMethods,
  type AnyExchangeError,
  type OptionRules,
  type Outcome,
} from '../errors/index.js';
import type { CallSite } from './call-site.js';
import type { RetryPolicy } from './retries.js';
import type { Endpoint, Priority, Safety } from '../endpoint/index.js';
import { aPriority } from '../scheduler/index.js';

/** Options of one call. */
export interface CallOptions {
  /** The bound on an attempt, milliseconds, above 0. Default: the client's. */
  readonly timeoutMs?: number;
  /** The bound on the call, with all its waits and attempts, milliseconds, above 0. Default: the client's. */
  readonly callTimeoutMs?: number;
  /** `false`: no retries. Default: retries as the endpoint's safety and the client's `retry` allow. */
  readonly retry?: false;
  /**
   * Which requests get a permit first when the limit is reached: see {@link Priority}. Default: that of the endpoint:
   * `urgent` for cancels and the kill switch, otherwise `normal`.
   */
  readonly priority?: Priority;
  /**
   * No attempt of this call starts later than this after subscription, milliseconds, above 0, however long the queue,
   * retries and proofs take. Then the call ends with {@link QueueTimeoutError}, or with the error of the last attempt.
   * An order is retried after a proof only within this time. Default: 5000 for orders, no bound for other calls.
   */
  readonly validForMs?: number;
  /**
   * Aborts the call, in the queue or in flight: it fails with {@link TransportError}, whose cause is the signal's reason.
   * Several orders of one call end each with its own outcome.
   */
  readonly signal?: AbortSignal;
  /**
   * Called with the events of this call, which `events$` emits, too. An error that it throws is reported as unhandled,
   * and does not affect the call.
   */
  readonly onEvent?: (event: CallEvent) => void;
}

const rules: OptionRules<CallOptions> = {
  timeoutMs: durationAbove0,
  callTimeoutMs: durationAbove0,
  retry: rule((value) => value === false, 'must be false, or left out'),
  priority: aPriority,
  validForMs: durationAbove0,
  signal: withMethods('an AbortSignal', 'addEventListener', 'removeEventListener'),
  onEvent: aFunction(),
};
export const callOptions = optionsOf<CallOptions>(rules);

export function isCallOption(name: string): boolean {
  return Object.hasOwn(rules, name);
}

/** The options of a call without parameters; throws {@link RequestError} when an argument follows them. */
export function onlyOptions<Options>(endpoint: string, options: Options, surplus: unknown): Options {
  if (surplus === undefined) return options;
  const message = `must be the only argument: ${endpoint} has no parameters`;
  throw new RequestError(endpoint, [{ field: 'options', message }]);
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
  readonly isRetried: boolean;
  readonly retryPolicy: RetryPolicy;
  readonly priority: Priority;
  readonly validForMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Emits when the signal aborts: one listener for all orders of a request. */
  readonly aborted$: Observable<unknown> | undefined;
  readonly onEvent: ((event: CallEvent) => void) | undefined;
  /** Who made the call; `undefined` for a call of the client itself. */
  readonly site: CallSite | undefined;
}

const noPolicy: RetryPolicy = {};
const defaultTimeoutMs = 10_000;
const defaultCallTimeoutMs = 60_000;
const defaultValidForMs: Partial<Record<Safety, number>> = { order: 5000, orders: 5000 };

/** Options of a call that finds an order. */
export type FindOptions = Pick<CallOptions, 'timeoutMs' | 'callTimeoutMs' | 'signal'>;

const { timeoutMs, callTimeoutMs, signal } = rules;
const findOptions = optionsOf<FindOptions>({ timeoutMs, callTimeoutMs, signal });

export interface CallDefaults {
  readonly timeoutMs?: number | undefined;
  readonly callTimeoutMs?: number | undefined;
  readonly retry?: RetryPolicy | false | undefined;
}

export function findLimits(name: string, options: FindOptions, client: CallDefaults, site: CallSite): CallLimits {
  return callLimits({ priority: 'urgent' }, { ...parse(name, findOptions, options), retry: false }, client, site);
}

type CalledEndpoint = Pick<Endpoint, 'priority'> & Partial<Pick<Endpoint, 'safety'>>;

export function callLimits(
  { priority, safety }: CalledEndpoint,
  call: CallOptions,
  client: CallDefaults,
  site?: CallSite,
): CallLimits {
  return {
    timeoutMs: call.timeoutMs ?? client.timeoutMs ?? defaultTimeoutMs,
    callTimeoutMs: call.callTimeoutMs ?? client.callTimeoutMs ?? defaultCallTimeoutMs,
    isRetried: call.retry !== false && client.retry !== false,
    retryPolicy: typeof client.retry === 'object' ? client.retry : noPolicy,
    priority: call.priority ?? priority ?? 'normal',
    validForMs: call.validForMs ?? (safety === undefined ? undefined : defaultValidForMs[safety]),
    signal: call.signal,
    aborted$: call.signal === undefined ? undefined : abortOf(call.signal),
    onEvent: call.onEvent === undefined ? undefined : isolated(call.onEvent),
    site,
  };
}

/** One listener for all calls with a signal: Node warns of more than ten. Only a cache: the signal owns the entry. */
const aborts = new WeakMap<AbortSignal, Observable<unknown>>();

function abortOf(signal: AbortSignal): Observable<unknown> {
  const aborted$ = aborts.get(signal) ?? fromEvent(signal, 'abort').pipe(share());
  aborts.set(signal, aborted$);
  return aborted$;
}

/** RxJS reports an error that a listener throws as unhandled; it does not enter the call. */
function isolated(listener: (event: CallEvent) => void): (event: CallEvent) => void {
  const events = new Subject<CallEvent>();
  events.subscribe(listener);
  return (event) => {
    events.next(event);
  };
}

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

/** A call ended: with an output, with an error, or because its last subscriber unsubscribed. `attempt` is its last one. */
export interface EndEvent extends AttemptEvent {
  /** Discriminates the events. */
  readonly type: 'end';
  /** The safety of the endpoint: `order` and `orders` place orders. */
  readonly safety: Safety;
  /** From the subscription to the end, milliseconds. */
  readonly durationMs: number;
  /** `ok`: with an output. `error`: with an error of this `kind`. `canceled`: the last subscriber unsubscribed. */
  readonly result: 'ok' | 'error' | 'canceled';
  /** Kind of the error, when it ended with one. */
  readonly kind?: AnyExchangeError['kind'];
  /** Whether the call was executed, when it ended without an output. */
  readonly outcome?: Outcome;
}

/** The events of one call: {@link CallOptions.onEvent} gets them. */
export type CallEvent = WaitEvent | RequestEvent | ResponseEvent | UnreadableEvent | RetryEvent | EndEvent;
