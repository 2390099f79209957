// The life of a call, as data: what calls differ by, where a call is, what is known of it, what happens to it, what it does
// then, and who keeps its notes.
import { EMPTY, type Observable } from 'rxjs';
import type { AnyExchangeError, ApiErrorReason, ExchangeError } from '../errors/index.js';
import type { CallLimits } from './call-options.js';
import type { Failure, Retries } from './retries.js';
import type { Safety } from '../endpoint/index.js';

export interface Kind {
  /** Whether a request changes something: a read has no outcome. */
  readonly changes: boolean;
  /** Whether all subscriptions of an observable are one change: late subscribers get its result. */
  readonly isOne: boolean;
  /** When a request is sent again although an earlier one may have been executed. */
  readonly repeats: 'always' | 'after proof' | 'never';
  /**
   * When the result is looked up: after each response that was lost, or when the exchange refuses a request because an
   * earlier one may have been executed.
   */
  readonly asks: 'when lost' | 'when refused' | 'never';
}

const read: Kind = { changes: false, isOne: false, repeats: 'always', asks: 'never' };
/** Doing it twice is doing it once. */
const setting: Kind = { changes: true, isOne: false, repeats: 'always', asks: 'never' };
/** A cancel, a modification, a close: what it names ends with the first execution. */
const ending: Kind = { ...setting, asks: 'when refused' };
/** An order: its request is sent again only after proof that no other was executed. */
export const placing: Kind = { changes: true, isOne: true, repeats: 'after proof', asks: 'when lost' };
/** Creates something that cannot be looked up. */
const once: Kind = { changes: true, isOne: true, repeats: 'never', asks: 'never' };
/** Moves money: looked up after a lost response, and never sent again. */
export const moving: Kind = { ...once, asks: 'when lost' };

/** A lookup that the caller requested: an earlier program may have sent the request. */
export const finding: Kind = { changes: true, isOne: false, repeats: 'never', asks: 'when lost' };
/** One request for several orders: each of them is a change of its own, and is looked up by itself. */
export const bulk: Kind = { changes: false, isOne: false, repeats: 'never', asks: 'never' };

export function kindOf(safety: Safety, hasLookup: boolean): Kind {
  switch (safety) {
    case 'read':
      return read;
    case 'idempotent':
      return hasLookup ? ending : setting;
    case 'order':
    case 'orders':
      return placing;
    case 'keyed':
    case 'once':
      return once;
  }
}

/** A request that left, and that the exchange may have executed. */
export interface Sent {
  /** When, by the local clock. */
  readonly sentAt: number;
  /** When, by the exchange's clock: the earliest that it can have shown. */
  readonly sentAtExchange: number;
  /** Until when the exchange can accept it, by the exchange's clock. */
  readonly acceptableUntil: number;
  /** The same by the local clock: a later response with a wrong time must not end this earlier. */
  readonly acceptableUntilLocal: number;
}

/** What is known of a change beyond a subscription. */
export interface Known {
  /** The last request, while it may have been executed. */
  readonly open: Sent | undefined;
  /** The first request that may have been executed: the change was made by it, or later. */
  readonly first: Sent | undefined;
  /** How many requests may have reached the exchange. */
  readonly sends: number;
  /** An earlier request may have been executed, and no lookup decides it. */
  readonly isInDoubt: boolean;
  /** Why not finding the order proves nothing any more. */
  readonly refuted: 'pushed' | 'in use' | undefined;
  /** The error of the last request whose response was lost. */
  readonly cause: AnyExchangeError | undefined;
  /** When the `Retry-After` of the last response is over, by `performance.now()`. */
  readonly notBefore: number;
}

export const nothingKnown: Known = {
  open: undefined,
  first: undefined,
  sends: 0,
  isInDoubt: false,
  refuted: undefined,
  cause: undefined,
  notBefore: 0,
};

/** By how much the exchange's clock may be misjudged, milliseconds. */
export const clockToleranceMs = 2000;

export type State<Output> =
  /** No subscriber. A subscription goes on from what is known. */
  | { readonly at: 'idle'; readonly known: Known }
  /** Checked, queued or in flight. */
  | { readonly at: 'sending'; readonly known: Known; readonly retries: Retries }
  /** A nonce was rejected for its age: the exchange's clock is read. */
  | { readonly at: 'judging'; readonly known: Known; readonly retries: Retries; readonly error: AnyExchangeError }
  /** The result is looked up; `refusal` is the error that an earlier execution may have caused. */
  | { readonly at: 'asking'; readonly known: Known; readonly retries: Retries; readonly refusal?: AnyExchangeError }
  /** The request will be sent again. */
  | { readonly at: 'waiting'; readonly known: Known; readonly retries: Retries; readonly error: AnyExchangeError }
  | { readonly at: 'done'; readonly output: Output }
  /** Proven not to have been executed, and never sent again. */
  | { readonly at: 'failed'; readonly error: AnyExchangeError };

/** While it has a subscriber. */
export type Active<Output> = Exclude<State<Output>, { readonly at: 'idle' | 'done' | 'failed' }>;

/** The moment of an event that may lead to a retry. */
export interface Moment extends Pick<Failure, 'now' | 'jitter'> {
  /** Whether the exchange's clock has been read since the request. */
  readonly isClockRead?: boolean;
}

export type Answer<Output> =
  | { readonly is: 'found'; readonly output: Output }
  /** Nothing was executed, and nothing in flight can be. */
  | { readonly is: 'absent' }
  /** `failure`: why no lookup can succeed. */
  | { readonly is: 'undecided'; readonly reason: string; readonly failure?: ExchangeError | undefined };

export type Event<Output> =
  | { readonly is: 'subscribed'; readonly now: number }
  | { readonly is: 'unsubscribed' }
  | { readonly is: 'timed out'; readonly afterMs: number }
  | { readonly is: 'aborted'; readonly reason: unknown }
  | { readonly is: 'sent'; readonly sent: Sent }
  | { readonly is: 'answered'; readonly output: Output }
  | ({ readonly is: 'failed'; readonly error: AnyExchangeError } & Moment)
  /** The request was not executed; another one may follow for several calls together. */
  | { readonly is: 'withdrawn'; readonly error: AnyExchangeError }
  | ({ readonly is: 'judged'; readonly wasTooOld: boolean } & Moment)
  | (Answer<Output> & Moment)
  /** The live connection has pushed the order, which was placed at this time, Unix ms by the exchange's clock. */
  | { readonly is: 'pushed'; readonly placedAt: number }
  /** The wait before a retry is over. */
  | { readonly is: 'due' }
  /** No budget is left for the retry, or a later call has set the same. */
  | { readonly is: 'denied' };

/** What the client notes of a change beyond its subscriptions. */
export type Note<Output> =
  /** The response to this request was lost, and its result is looked up. */
  | { readonly do: 'doubt'; readonly sent: Sent }
  | { readonly do: 'place'; readonly output: Output; readonly isFound: boolean }
  | { readonly do: 'absent' }
  /** `reason`: why the call failed; without one, its last subscriber unsubscribed. */
  | { readonly do: 'leave'; readonly open: Sent | undefined; readonly reason?: string };

/** A lookup of the result. */
export interface Question extends Pick<Known, 'open' | 'first' | 'notBefore'> {
  readonly do: 'ask';
  readonly timeoutMs: number;
}

/** A step: it ends when another begins, and when the call ends. */
export type Step =
  | { readonly do: 'send' }
  | { readonly do: 'judge'; readonly sent: Sent }
  | Question
  | {
      readonly do: 'wait';
      readonly ms: number;
      readonly error: AnyExchangeError;
      /** Whether the exchange's clock is read first, because it may be wrong. */
      readonly readsClock: boolean;
      /** Whether the retry counts against the client's budget. */
      readonly spends: boolean;
    };

/** What a call does after an event: notes, and at most one step, or the end for its subscribers. */
export type Effect<Output> =
  | Note<Output>
  | Step
  | { readonly do: 'emit'; readonly output: Output }
  | { readonly do: 'fail'; readonly error: AnyExchangeError };

export type Next<Output> = readonly [State<Output>, readonly Effect<Output>[]];

/** What a call decides by, beside what happens. */
export interface Premises {
  /** Name of the endpoint or function, in errors. */
  readonly endpoint: string;
  readonly kind: Kind;
  readonly limits: Pick<CallLimits, 'isRetried' | 'retryPolicy' | 'validForMs'>;
  /** What is known before the first subscription. Default: nothing. */
  readonly known?: Known;
  /** Whether the request is sent again after a proof only: the request of several orders is retried for all of them. */
  readonly retriesProofsOnly?: boolean;
  /** How long the result is looked up after a lost response, milliseconds; 0: only at a later subscription. Default 0. */
  readonly lookupTimeoutMs?: number;
  /** The reasons of the refusals that an earlier execution may have caused. Default: none. */
  readonly refusals?: readonly ApiErrorReason[];
  /** For what moves money: what the lookup compares, in errors. */
  readonly comparing?: string;
}

export const defaultLookupTimeoutMs = 30_000;

export function isStep(effect: Effect<unknown>): effect is Step {
  return effect.do === 'send' || effect.do === 'judge' || effect.do === 'ask' || effect.do === 'wait';
}

/** What the client keeps of a call beyond its requests. */
export interface Keeper<Output> {
  /** The order that errors are about. */
  readonly client_order_id?: string;
  /** Completes when a request may be sent, and fails when it must not be. */
  readonly check$?: Observable<never> | undefined;
  /** Throws when a subscription must not begin. `onPushed` gets when the pushed order was placed, Unix ms. */
  begin(onPushed: (placedAt: number) => void): Hold;
  /** Looks the result up. */
  ask(question: Question): Observable<Answer<Output>>;
  note(note: Note<Output>): void;
}

/** What is kept while a call has a subscriber. */
export interface Hold {
  /** Whether a request of it still makes sense. */
  isCurrent(): boolean;
  end?(): void;
}

export const hold: Hold = { isCurrent: () => true };

export const noKeeper: Keeper<never> = {
  begin: () => hold,
  ask: () => EMPTY,
  note: () => undefined,
};
