// What is known of a change beyond a subscription, and what changes it.
import type { AnyExchangeError } from '../errors/index.js';

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
  readonly hasSent: boolean;
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
  hasSent: false,
  isInDoubt: false,
  refuted: undefined,
  cause: undefined,
  notBefore: 0,
};

/** By how much the exchange's clock may be misjudged, milliseconds. */
export const clockToleranceMs = 2000;

/** The request left. */
export function sent(known: Known, open: Sent): Known {
  const { first = open, sends } = known;
  return { ...known, open, first, sends: sends + 1, hasSent: true, cause: undefined };
}

/** The last request was not executed. One that did not leave cannot be the first that may have been executed. */
export function notExecuted(known: Known, { outcome }: AnyExchangeError): Known {
  if (known.open === undefined) return known;
  const sends = outcome === 'not-executed' ? known.sends - 1 : known.sends;
  return { ...known, open: undefined, sends, first: sends === 0 ? undefined : known.first };
}

/** The live connection has pushed an order that was placed at this time. */
export function pushed(known: Known, placedAt: number): Known {
  return isOfPush(known, placedAt) ? { ...known, refuted: known.refuted ?? 'pushed' } : known;
}

/** Whether a pushed order can be this one: one that is older than the first request is another. */
export function isOfPush({ first }: Known, placedAt: number): boolean {
  return first !== undefined && placedAt >= first.sentAtExchange - clockToleranceMs;
}

/** Why not finding the order proves nothing. */
export function whyRefuted({ refuted }: Known): string | undefined {
  if (refuted === 'in use') return 'the exchange reports that client_order_id is in use';
  return refuted === 'pushed' ? 'the live connection has pushed the order' : undefined;
}
