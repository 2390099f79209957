// What calls differ by, as data: whether all subscriptions are one change, what is sent again, and what is looked up.
import type { Safety } from '../endpoint/index.js';

/** How a call behaves when a request fails. */
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

/** A lookup that the caller requested: an earlier program may have sent the request. */
export const finding: Kind = { changes: true, isOne: false, repeats: 'never', asks: 'when lost' };
/** One request for several orders: each of them is a change of its own, and is looked up by itself. */
export const bulk: Kind = { changes: false, isOne: false, repeats: 'never', asks: 'never' };

/** The kind of an endpoint's calls. */
export function kindOf(safety: Safety, hasLookup: boolean): Kind {
  switch (safety) {
    case 'read':
      return read;
    case 'idempotent':
      return hasLookup ? ending : setting;
    case 'order':
    case 'orders':
      return placing;
    case 'once':
      return once;
  }
}
