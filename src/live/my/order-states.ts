// The orders of a market by their numbers: pushes and lists in any order make changes that never go back. It keeps no
// time of its own.
import type { LiveOrder } from '../../model/live-order.js';
import { maxOffset, maxPageSize } from '../../model/paging.js';
import type { OrderChange } from './order-change.js';
import {
  compareAge,
  endsWithMore,
  isOlder,
  knownOrder,
  laterOrder,
  mayBeReplaced,
  mayReplace,
  type KnownOrder,
} from './order-version.js';

/** An order as it was pushed or read. */
export interface SeenOrder {
  readonly order: LiveOrder;
  readonly via: OrderChange['via'];
  /** Whether the exchange reports that it has ended, whatever its status is. */
  readonly hasEnded?: boolean;
  /** Whether the push says that the order is new: of a known stop order, that it is active. */
  readonly isNew?: boolean;
}

interface OrderState {
  readonly known: KnownOrder;
  readonly via: OrderChange['via'];
  /** What was emitted of it last. */
  readonly emitted: KnownOrder | undefined;
  /** The count of pushes when it was pushed last; 0: never. */
  readonly heard: number;
  /** Until when its change waits for that of the order it may have been modified to, or from: milliseconds. */
  readonly heldUntil: number | undefined;
}

/**
 * A modification is pushed as the end of an order and a new order, one directly after the other. Either waits this
 * long for the other. A bot that saw the end alone would place an order beside the modified one.
 */
export const replacementMs = 250;
/** Orders that have ended and are kept whole, about 1 KB each: a new follower of one of them gets its end at once. */
const maxEnded = 250;
/** Open orders: more cannot be listed. */
const maxOpen = maxOffset + maxPageSize;
/** Orders that ended before those, by which late pushes are recognized: more than a read of the history lists, 10,500. */
const maxEndedBefore = 11_000;

export class OrderStates {
  readonly #states = new Map<number, OrderState>();
  /** The newest order of each identifier. */
  readonly #newest = new Map<string, number>();
  /** The next order with the identifier of an order. */
  readonly #next = new Map<number, number>();
  /** The order that each modified order was modified to. */
  readonly #replacedBy = new Map<number, number>();
  /** In the order of their times. */
  readonly #held = new Set<number>();
  readonly #ended = new Set<number>();
  /** The filled amounts of the orders that ended before those. */
  readonly #endedBefore = new Map<number, string>();
  #pushes = 0;

  /** The count of pushes: an order that was not pushed since is unheard. */
  get mark(): number {
    return this.#pushes;
  }

  /** When {@link release} is due, milliseconds. */
  get releaseAt(): number | undefined {
    const [first] = this.#held;
    return first === undefined ? undefined : (this.#states.get(first)?.heldUntil ?? 0);
  }

  /** The changes that were emitted since an order was in this state, as far as they are later than it. */
  changesSince(order: LiveOrder): readonly OrderChange[] {
    const { order_id } = order;
    const state = this.#states.get(order_id);
    if (state?.emitted === undefined) return [];
    const modified = this.modificationOf(order_id);
    if (modified !== undefined) return [modified, ...this.changesSince(modified.order)];
    if (state.emitted.hasEnded) return [changeOf('ended', state)];
    return laterOrder(knownOrder(order, false), state.emitted) === undefined ? [] : [changeOf('updated', state)];
  }

  /** What an order was modified to, as far as it is kept: also where its end was reported before. */
  modificationOf(id: number): OrderChange | undefined {
    const state = this.#states.get(id);
    const next = this.#states.get(this.#replacedBy.get(id) ?? id);
    return state === undefined || next === undefined || next === state ? undefined : modifiedChange(state, next);
  }

  /** The open orders that were emitted, by their numbers. */
  open(): ReadonlyMap<number, LiveOrder> {
    const open = [...this.#states.values()].flatMap(({ emitted }) =>
      emitted?.hasEnded === false ? [emitted.order] : [],
    );
    return new Map(open.map((order) => [order.order_id, order]));
  }

  hasEnded(id: number): boolean {
    return this.#endedBefore.has(id) || this.#states.get(id)?.emitted?.hasEnded === true;
  }

  /** Whether no further open order is kept. */
  get isFull(): boolean {
    return this.#states.size - this.#ended.size >= maxOpen;
  }

  /** Whether the order was pushed or read, and is kept whole. */
  has(id: number): boolean {
    return this.#states.has(id);
  }

  /** Whether the order, or what it was modified to, has ended and is not kept whole any more. */
  isForgotten(id: number): boolean {
    const last = this.#replacedBy.get(id) ?? id;
    return this.#endedBefore.has(last) && !this.#states.has(last);
  }

  /** The known open orders that were not pushed since a mark. */
  openUnheard(mark: number): readonly LiveOrder[] {
    const states = [...this.#states.values()].filter(({ known, heard }) => !known.hasEnded && heard <= mark);
    return states.map(({ known }) => known.order);
  }

  /** Whether an order says something new, and was not pushed since a mark. */
  isNews(seen: SeenOrder, mark: number): boolean {
    const { order, hasEnded = false } = seen;
    const state = this.#states.get(order.order_id);
    if (state === undefined) return !this.#isEndedBefore(seen);
    return state.heard <= mark && laterOrder(state.known, knownOrder(order, hasEnded)) !== undefined;
  }

  see(seen: SeenOrder, now: number): readonly OrderChange[] {
    const { order, via } = seen;
    const id = order.order_id;
    if (via === 'push') this.#pushes += 1;
    const before = this.#states.get(id);
    const heard = via === 'push' ? this.#pushes : (before?.heard ?? 0);
    if (before === undefined) {
      if (this.#isEndedBefore(seen)) return [];
      return this.#add({ known: knownOf(seen), via, emitted: undefined, heard, heldUntil: undefined }, now);
    }
    const known = laterOrder(before.known, knownOf(seen, before.known));
    if (known === undefined) {
      this.#set({ ...before, known: withTime(before.known, order), heard });
      return [];
    }
    return this.#update({ ...before, known, via, heard }, now);
  }

  /** The changes that have waited long enough. */
  release(now: number): readonly OrderChange[] {
    const due = [...this.#held].flatMap((id) => this.#states.get(id) ?? []);
    return due.filter(({ heldUntil = now }) => heldUntil <= now).flatMap((state) => this.#emit(state));
  }

  #isEndedBefore(seen: SeenOrder): boolean {
    const filled = this.#endedBefore.get(seen.order.order_id);
    return filled !== undefined && !endsWithMore(knownOf(seen), filled);
  }

  #add(state: OrderState, now: number): readonly OrderChange[] {
    const { order } = state.known;
    const newest = this.#otherOf(order);
    // What is read of the past may be older than what was pushed.
    const isNewest = newest === undefined || !isOlder(order, newest.known.order);
    const other = isNewest ? newest : this.#nextAfter(order);
    if (order.client_order_id !== '' && isNewest) this.#newest.set(order.client_order_id, order.order_id);
    if (other !== undefined) {
      if (isNewest) this.#next.set(other.known.order.order_id, order.order_id);
      else this.#next.set(order.order_id, other.known.order.order_id);
      if (mayBeReplaced(other.known) && mayReplace(state.known, other.known)) return this.#replace(other, state, now);
      if (mayBeReplaced(state.known) && mayReplace(other.known, state.known)) return this.#replace(state, other, now);
    }
    const isBeforeEnd = other?.known.hasEnded === false;
    return isBeforeEnd || mayBeReplaced(state.known) ? this.#hold(state, now) : this.#emit(state);
  }

  #update(state: OrderState, now: number): readonly OrderChange[] {
    const { known, heldUntil, emitted } = state;
    if (heldUntil !== undefined) {
      this.#set(state);
      return [];
    }
    if (emitted === undefined || emitted.hasEnded || !mayBeReplaced(known)) return this.#emit(state);
    const later = this.#states.get(this.#next.get(known.order.order_id) ?? Number.NaN);
    return later !== undefined && mayReplace(later.known, known)
      ? this.#replace(state, later, now)
      : this.#hold(state, now);
  }

  /** The other order with its identifier, which must be unique among open orders. */
  #otherOf({ client_order_id, order_id }: LiveOrder): OrderState | undefined {
    const id = this.#newest.get(client_order_id);
    return id === undefined || id === order_id ? undefined : this.#states.get(id);
  }

  /** The first order with its identifier that was placed after it. */
  #nextAfter(order: LiveOrder): OrderState | undefined {
    const isLater = ({ order: one }: KnownOrder) =>
      one.client_order_id === order.client_order_id && isOlder(order, one);
    const later = [...this.#states.values()].filter(({ known }) => isLater(known));
    return later.toSorted((one, other) => compareAge(one.known.order, other.known.order))[0];
  }

  #hold(state: OrderState, now: number): readonly OrderChange[] {
    const { order_id } = state.known.order;
    this.#held.delete(order_id);
    this.#held.add(order_id);
    // The end of an order that replaced another one waits although its state was emitted.
    this.#ended.delete(order_id);
    this.#set({ ...state, heldUntil: now + replacementMs });
    return [];
  }

  /** One change; but an end that was reported is the last change of its order. */
  #replace(ended: OrderState, next: OrderState, now: number): readonly OrderChange[] {
    this.#replacedBy.set(ended.known.order.order_id, next.known.order.order_id);
    if (isEndReported(ended)) return mayBeReplaced(next.known) ? this.#hold(next, now) : this.#emit(next);
    if (isEndReported(next)) return this.#emit(ended);
    this.#settle(ended);
    this.#settle(next);
    const modified = modifiedChange(ended, next);
    if (!next.known.hasEnded) return [modified];
    // It may have been modified, too.
    if (mayBeReplaced(next.known)) return [modified, ...this.#hold({ ...next, emitted: next.known }, now)];
    return [modified, changeOf('ended', next)];
  }

  #emit(state: OrderState): readonly OrderChange[] {
    const { known, emitted } = state;
    this.#settle(state);
    if (known.hasEnded) return [changeOf('ended', state)];
    if (emitted === undefined) return [changeOf('opened', state)];
    return [changeOf(known.isActive && !emitted.isActive ? 'activated' : 'updated', state)];
  }

  #settle(state: OrderState): void {
    this.#held.delete(state.known.order.order_id);
    this.#set({ ...state, emitted: state.known, heldUntil: undefined });
  }

  #set(state: OrderState): void {
    const { order_id } = state.known.order;
    this.#states.set(order_id, state);
    // An end that waits is not forgotten: all orders may be canceled at once.
    if (state.emitted?.hasEnded !== true || state.heldUntil !== undefined) return;
    this.#ended.add(order_id);
    const [oldest] = this.#ended;
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#forget(oldest);
  }

  #forget(id: number): void {
    const { client_order_id = '', deal_stock = '0' } = this.#states.get(id)?.known.order ?? {};
    this.#endedBefore.set(id, deal_stock);
    const [oldest] = this.#endedBefore.keys();
    if (this.#endedBefore.size > maxEndedBefore && oldest !== undefined) this.#endedBefore.delete(oldest);
    this.#ended.delete(id);
    this.#states.delete(id);
    this.#next.delete(id);
    this.#replacedBy.delete(id);
    if (this.#newest.get(client_order_id) === id) this.#newest.delete(client_order_id);
  }
}

/** The end of an order that replaced another one may wait although its state was emitted. */
function isEndReported({ emitted, heldUntil }: OrderState): boolean {
  return emitted?.hasEnded === true && heldUntil === undefined;
}

function changeOf(kind: 'opened' | 'updated' | 'activated' | 'ended', { known, via }: OrderState): OrderChange {
  return { kind, market: known.order.market, order: known.order, via };
}

function modifiedChange(ended: OrderState, { known: { order }, via }: OrderState): OrderChange {
  const before = ended.known.order;
  return { kind: 'modified', market: order.market, order, via, replaces: before.order_id, before };
}

/** The exchange pushes an activation as the same order, new once more; a duplicate has the same time. */
function knownOf({ order, hasEnded = false, isNew = false }: SeenOrder, before?: KnownOrder): KnownOrder {
  const known = knownOrder(order, hasEnded);
  const { activation_price = '', mtime = 0 } = order;
  const isActive = isNew && activation_price !== '' && before !== undefined && mtime > (before.order.mtime ?? mtime);
  return isActive ? { ...known, isActive } : known;
}

/** A list has no time of the last change: the first push that says the same has it. */
function withTime(known: KnownOrder, { mtime }: LiveOrder): KnownOrder {
  return mtime === undefined || known.order.mtime !== undefined
    ? known
    : { ...known, order: { ...known.order, mtime } };
}
