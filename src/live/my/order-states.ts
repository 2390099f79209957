// The orders of a market by their numbers: pushes and lists in any order make changes that never go back. It keeps no
// time of its own.
import type { LiveOrder } from '../../model/live-order.js';
import { maxOffset, maxPageSize } from '../../model/paging.js';
import type { SeenOrder } from '../channels/account.js';
import {
  compareAge,
  endsWithMore,
  isReplacedBy,
  knownOrder,
  laterOrder,
  mayBeReplaced,
  type KnownOrder,
} from './order-version.js';

/**
 * A change of an order, newer than every change of it before. Switch on `kind`:
 * - `opened`: the order is open now.
 * - `updated`: more of it was filled, or another field has changed.
 * - `activated`: the market has reached the `activation_price` of a stop order. The order is the same one.
 * - `modified`: the order replaces another one, `before`, which has ended by it. Neither was reported as `ended` before:
 *   where one was, the messages about both were far apart, and are changes of their own.
 * - `ended`: it was filled or canceled: see its `status`. Its last change, unless the exchange reports a greater filled
 *   amount later.
 */
export type OrderChange =
  | {
      readonly kind: 'opened' | 'updated' | 'activated' | 'ended';
      /** The order as it is now. */
      readonly order: LiveOrder;
    }
  | {
      readonly kind: 'modified';
      /** The order as it is now. */
      readonly order: LiveOrder;
      /** The order that was modified, as it ended. */
      readonly before: LiveOrder;
    };

interface OrderState {
  known: KnownOrder;
  /** What was emitted of it last. */
  emitted: KnownOrder | undefined;
}

/**
 * A modification is pushed as the end of an order and a new order, directly after it: the end waits this long for the new
 * order. A bot that saw the end alone would place an order beside the modified one.
 */
export const replacementMs = 250;
/** Orders that have ended and are kept whole, about 1 KB each: a new follower of one of them gets its end at once. */
const maxEnded = 250;
/** Orders of one identifier: one of them is open, the others have ended. More are of an exchange that keeps no rule. */
const maxAlike = 2 * maxEnded;
const maxOpen = maxOffset + maxPageSize;
/** Orders that ended before those, by which late pushes are recognized: more than a read of the history lists, 10,500. */
const maxEndedBefore = 11_000;

export class OrderStates {
  readonly #states = new Map<number, OrderState>();
  readonly #withIdentifier = new Map<string, Set<OrderState>>();
  /** Until when the ends of orders wait, milliseconds; in the order of their times. */
  readonly #held = new Map<OrderState, number>();
  /** The orders whose end was emitted. */
  readonly #ended = new Set<OrderState>();
  /** The filled amounts of the orders that ended before those. */
  readonly #endedBefore = new Map<number, string>();
  /** `undefined` since the last change. */
  #open: readonly LiveOrder[] | undefined;

  get releaseAt(): number | undefined {
    const [first] = this.#held.values();
    return first;
  }

  get isFull(): boolean {
    return this.#states.size - this.#ended.size >= maxOpen;
  }

  /** Whether the order was pushed or read, and is kept whole. */
  has(id: number): boolean {
    return this.#states.has(id);
  }

  isOpen(id: number): boolean {
    return this.#states.get(id)?.known.hasEnded === false;
  }

  /** The orders that were emitted as open: listed when they are read, so that a push costs the same for any number. */
  get open(): readonly LiveOrder[] {
    if (this.#open !== undefined) return this.#open;
    const open: LiveOrder[] = [];
    for (const { emitted } of this.#states.values()) if (emitted?.hasEnded === false) open.push(emitted.order);
    this.#open = open;
    return open;
  }

  /** The last change that was emitted since an order was in this state. */
  changeSince(order: LiveOrder): OrderChange | undefined {
    const state = this.#states.get(order.order_id);
    const { emitted } = state ?? {};
    if (state === undefined || emitted === undefined) return undefined;
    // Others have had an end that was reported before the modification, or instead of it.
    const next = this.#replacementOf(state);
    if (next !== undefined) return modified(state, next);
    if (emitted.hasEnded) return { kind: 'ended', order: emitted.order };
    const before = knownOrder(order, false);
    if (laterOrder(before, emitted) === undefined) return undefined;
    return { kind: emitted.isActive && !before.isActive ? 'activated' : 'updated', order: emitted.order };
  }

  isNews(seen: SeenOrder): boolean {
    const state = this.#states.get(seen.order.order_id);
    return state === undefined ? !this.#isEndedBefore(seen) : laterOrder(state.known, knownOf(seen)) !== undefined;
  }

  see(seen: SeenOrder, now: number): readonly OrderChange[] {
    const { order } = seen;
    const state = this.#states.get(order.order_id);
    if (state === undefined) return this.#isEndedBefore(seen) ? [] : this.#add(knownOf(seen), now);
    const known = laterOrder(state.known, knownOf(seen, state.known));
    state.known = known ?? withTime(state.known, order);
    return known === undefined || this.#held.has(state) ? [] : this.#change(state, now);
  }

  release(now: number): readonly OrderChange[] {
    const due = [...this.#held].filter(([, until]) => until <= now);
    return due.flatMap(([state]) => this.#emit(state));
  }

  #isEndedBefore(seen: SeenOrder): boolean {
    const filled = this.#endedBefore.get(seen.order.order_id);
    return filled !== undefined && !endsWithMore(knownOf(seen), filled);
  }

  #add(known: KnownOrder, now: number): readonly OrderChange[] {
    const { client_order_id, order_id } = known.order;
    const state: OrderState = { known, emitted: undefined };
    const before = this.#othersLike(state).findLast((other) => isReplacedBy(other.known, known));
    this.#states.set(order_id, state);
    const alike = this.#withIdentifier.get(client_order_id) ?? new Set();
    if (client_order_id !== '' && alike.size < maxAlike) this.#withIdentifier.set(client_order_id, alike.add(state));
    return before === undefined ? this.#change(state, now) : this.#replace(before, state, now);
  }

  #change(state: OrderState, now: number): readonly OrderChange[] {
    if (state.emitted?.hasEnded === true || !mayBeReplaced(state.known)) return this.#emit(state);
    // What is read of the past may be older than what is known.
    const next = this.#replacementOf(state);
    return next === undefined ? this.#hold(state, now) : this.#replace(state, next, now);
  }

  /** The other orders with its identifier, oldest first. */
  #othersLike(state: OrderState): readonly OrderState[] {
    const alike = [...(this.#withIdentifier.get(state.known.order.client_order_id) ?? [])];
    return alike
      .filter((other) => other !== state)
      .toSorted((one, other) => compareAge(one.known.order, other.known.order));
  }

  /** What an order was modified to: the next one with its identifier. */
  #replacementOf(state: OrderState): OrderState | undefined {
    return this.#othersLike(state).find((other) => isReplacedBy(state.known, other.known));
  }

  #hold(state: OrderState, now: number): readonly OrderChange[] {
    this.#held.set(state, now + replacementMs);
    return [];
  }

  /** One change; but an end that was reported is the last change of its order. */
  #replace(ended: OrderState, next: OrderState, now: number): readonly OrderChange[] {
    if (this.#ended.has(ended)) return mayBeReplaced(next.known) ? this.#hold(next, now) : this.#emit(next);
    if (this.#ended.has(next)) return this.#emit(ended);
    this.#settle(ended);
    const change = modified(ended, next);
    // It may have been modified, too.
    if (!mayBeReplaced(next.known)) this.#settle(next);
    else {
      next.emitted = next.known;
      return [change, ...this.#hold(next, now)];
    }
    return next.known.hasEnded ? [change, { kind: 'ended', order: next.known.order }] : [change];
  }

  #emit(state: OrderState): readonly OrderChange[] {
    const { known, emitted } = state;
    this.#settle(state);
    const isActivation = known.isActive && emitted?.isActive === false;
    const kind = known.hasEnded ? 'ended' : emitted === undefined ? 'opened' : isActivation ? 'activated' : 'updated';
    return [{ kind, order: known.order }];
  }

  #settle(state: OrderState): void {
    state.emitted = state.known;
    this.#open = undefined;
    this.#held.delete(state);
    if (state.known.hasEnded) this.#ended.add(state);
  }

  /** Forgets the oldest ends. Called when the followers of an order have read its change. */
  trim(): void {
    for (const oldest of this.#ended) {
      if (this.#ended.size <= maxEnded) return;
      this.#forget(oldest);
    }
  }

  #forget(state: OrderState): void {
    const { order_id, client_order_id, deal_stock = '0' } = state.known.order;
    this.#endedBefore.set(order_id, deal_stock);
    const [oldest] = this.#endedBefore.keys();
    if (this.#endedBefore.size > maxEndedBefore && oldest !== undefined) this.#endedBefore.delete(oldest);
    this.#ended.delete(state);
    this.#states.delete(order_id);
    const alike = this.#withIdentifier.get(client_order_id);
    alike?.delete(state);
    if (alike?.size === 0) this.#withIdentifier.delete(client_order_id);
  }
}

function modified(ended: OrderState, next: OrderState): OrderChange {
  return { kind: 'modified', order: next.known.order, before: ended.known.order };
}

/** The exchange pushes an activation as the same order, new again; a duplicate has the same time. */
function knownOf({ order, hasEnded = false, isNew = false }: SeenOrder, before?: KnownOrder): KnownOrder {
  const known = knownOrder(order, hasEnded);
  const { activation_price = '', mtime = 0 } = order;
  const isActive = isNew && activation_price !== '' && before !== undefined && mtime > (before.order.mtime ?? mtime);
  return isActive ? { ...known, isActive, order: { ...known.order, activated: 1 } } : known;
}

/** A list has no time of the last change: the first push that says the same has it. */
function withTime(known: KnownOrder, { mtime }: LiveOrder): KnownOrder {
  return mtime === undefined || known.order.mtime !== undefined
    ? known
    : { ...known, order: { ...known.order, mtime } };
}
