// The orders of a market while somebody subscribes: pushes, and checks by requests wherever pushes may be missing.
import { catchError, EMPTY, ignoreElements, retry, Subscription, tap, type Observable } from 'rxjs';
import { backoff } from '../../call/index.js';
import type { LiveOrder } from '../../model/live-order.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { ordersPending } from '../channels/orders.js';
import { isLasting } from '../connection/index.js';
import type { Interruption } from '../channel.js';
import { AccountClock } from './account-clock.js';
import type { LiveOrderItem, OrderChange, OtoOrderChange } from './order-change.js';
import { checkOrders, type CheckedOrders, type OrderReads } from './order-check.js';
import { endOrModification, replacementsOf } from './order-lookup.js';
import { OrderStates, type SeenOrder } from './order-states.js';

/** Items that came together. */
export interface OrderUpdate {
  readonly items: readonly LiveOrderItem[];
  /** The orders that were open before the subscription. */
  readonly isFirst: boolean;
}

/** The open orders of a market. */
export interface OpenOrdersState {
  readonly status: 'live' | 'stale';
  readonly orders: ReadonlyMap<number, LiveOrder>;
  readonly unknown: readonly number[];
}

export interface OrderRunContext {
  readonly market: string;
  readonly reads: OrderReads;
  /** The exchange's time, whole Unix seconds. */
  readonly readTime: () => Observable<number>;
  /** How long an order may be missing from the history after it ended, milliseconds. */
  readonly historyLagMs: number;
  /** Random numbers from 0 to 1. */
  readonly random: () => number;
  /** Orders that somebody follows, and that may have ended before they were pushed. */
  readonly followed: () => readonly LiveOrder[];
  readonly emit: (update: OrderUpdate) => void;
  readonly fail: (error: unknown) => void;
  readonly reportGap: (gap: LiveGap) => void;
}

/** What a check was started with. */
interface StartedCheck {
  readonly isFirst: boolean;
  readonly expected: readonly LiveOrder[];
  /** Unix seconds. */
  readonly startedAt: number;
}

/** Both channels: the exchange may push an end on either of them. */
const channels = 2;
const auditMs = 60_000;
/** Audits of many markets must not come together: by this part earlier or later. */
const auditJitter = 0.1;
/** Far longer than a push takes. */
const pushMs = 2000;
/** A followed order that was placed just now is pushed within this time. */
const followMs = 1000;
/** Unreadable pushes in this time are one gap. */
const unreadableMs = 250;
/** The clocks of this machine and the exchange may differ by this, seconds. */
const clockErrorS = 60;
/** The exchange says its time in whole seconds, in a response that takes a while: an order that ended before is no loss. */
const timeErrorS = 2;
const minRetryMs = 1000;
const maxLookupRetries = 3;
const maxRetryMs = 60_000;

export class OrderRun {
  readonly states = new OrderStates();
  /** `undefined` before the open orders were read. */
  current: OpenOrdersState | undefined;
  readonly #context: OrderRunContext;
  readonly #subscribed = new Set<unknown>();
  #outage: { readonly reason: Interruption; readonly from: number } | undefined;
  /** Ends since this time, Unix seconds, may not have been in the history yet. */
  #lagsFrom: number | undefined;
  readonly #clock: AccountClock;
  #heardAt: number;
  /** When the last check that succeeded began. */
  #checkedAt: number;
  /** When both channels were confirmed first. */
  #beganAt: number | undefined;
  /** Checks in a row that failed, or left an order unknown. */
  #failures = 0;
  #check = Subscription.EMPTY;
  #isOver = false;
  #checkTimer: NodeJS.Timeout | undefined;
  #releaseTimer: NodeJS.Timeout | undefined;

  constructor(context: OrderRunContext) {
    this.#context = context;
    this.#clock = new AccountClock(context.readTime);
    this.#heardAt = this.#clock.nowS;
    this.#checkedAt = this.#heardAt;
  }

  onSubscribed(channel: unknown): void {
    this.#subscribed.add(channel);
    this.#startCheck();
  }

  onInterrupted(channel: unknown, reason: Interruption): void {
    const isUnreadable = reason === 'unreadable';
    // Its check is due, or is followed by another one: unreadable pushes without end must not put it off.
    if (isUnreadable && this.#outage !== undefined) return;
    this.#stopCheck();
    if (this.#beganAt !== undefined) this.#outage ??= { reason, from: Math.max(this.#heardAt, this.#checkedAt) };
    // An unreadable push says nothing about the pushes after it. Many of them are one check.
    if (isUnreadable) this.#checkAfter(unreadableMs);
    else this.#subscribed.delete(channel);
    this.#setStale();
  }

  onSeen(seen: SeenOrder): void {
    // Whether it is open is found by requests, which list no more of them.
    if (this.states.isFull && !this.states.has(seen.order.order_id)) {
      this.onInterrupted(undefined, 'unreadable');
      return;
    }
    this.#heardAt = this.#clock.nowS;
    this.#emitChanges(this.states.see(seen, performance.now()));
  }

  /** Whether the end of an order was that of a modification whose new order was not pushed: reads its identifier. */
  findReplacement(ended: LiveOrder): Observable<never> {
    return replacementsOf(this.#context.reads, ended).pipe(
      tap((seen) => {
        this.#emitChanges(this.states.see(seen, performance.now()));
      }),
      ignoreElements(),
      retry({ count: maxLookupRetries, delay: minRetryMs }),
      catchError(() => EMPTY),
    );
  }

  /** The end, or the modification, of an order that is not kept whole any more: no other subscriber gets it again. */
  findEnd(order_id: number): Observable<OrderChange> {
    const { market, reads } = this.#context;
    return endOrModification(reads, market, order_id, (failures) => this.#retryMs(failures));
  }

  /** An unreadable change of a conditional order is a gap that no list fills. */
  onOto(change: OtoOrderChange | undefined): void {
    const item = change ?? this.#gap('unreadable', Math.max(this.#heardAt, this.#checkedAt), false);
    if (item.kind === 'gap') this.#context.reportGap(item);
    this.#context.emit({ items: [item], isFirst: false });
  }

  /** Somebody follows an order: if no push of it comes, it may have ended before. Returns the function that ends it. */
  expect(order_id: number): () => void {
    const interval = setInterval(() => {
      const isHeard = this.states.has(order_id);
      if (!isHeard && !(this.current?.status === 'live' && this.#check.closed)) return;
      clearInterval(interval);
      if (!isHeard) this.#startCheck();
    }, followMs);
    return () => {
      clearInterval(interval);
    };
  }

  end(): void {
    this.#isOver = true;
    this.#stopCheck();
    this.#clock.end();
    clearTimeout(this.#releaseTimer);
  }

  #startCheck(): void {
    if (this.#subscribed.size < channels) return;
    this.#stopCheck();
    const { market, reads, followed, historyLagMs } = this.#context;
    const since = this.#outage?.from ?? this.#lagsFrom;
    const isFirst = this.current === undefined;
    const startedAt = this.#clock.nowS;
    this.#beganAt ??= startedAt;
    this.#clock.read();
    const { aheadS } = this.#clock;
    const canAudit = !isFirst && aheadS !== undefined;
    const from = since ?? (canAudit ? this.#checkedAt - historyLagMs / 1000 : undefined);
    const expected = followed().filter(({ order_id: id }) => !this.states.has(id) && !this.states.isForgotten(id));
    const check = {
      ...{ market, followed: expected },
      from: from === undefined ? undefined : from + (aheadS ?? 0) - clockErrorS,
      beganAt:
        aheadS === undefined
          ? Number.NEGATIVE_INFINITY
          : this.#beganAt + aheadS + (since === undefined ? timeErrorS : 0),
      // While pushes may be missing, a difference is no silent loss.
      graceMs: isFirst || since !== undefined ? 0 : pushMs,
    };
    this.#check = checkOrders(this.states, reads, check).subscribe({
      next: (checked) => {
        this.#settle(checked, { isFirst, expected, startedAt });
      },
      error: (error: unknown) => {
        this.#failed(error);
      },
    });
    // A listener to the events of its request may have ended it.
    if (this.#isOver) this.#stopCheck();
  }

  #settle({ missed, unknown, isWhole }: CheckedOrders, { isFirst, expected, startedAt }: StartedCheck): void {
    const outage = this.#outage;
    const { current } = this;
    const known = [...(current?.unknown ?? []), ...expected.map(({ order_id }) => order_id)];
    const isFilled = isWhole && unknown.length === 0;
    const isLoss =
      !isFirst && this.#lagsFrom === undefined && missed.some(({ order }) => !known.includes(order.order_id));
    const gap =
      outage !== undefined
        ? this.#gap(outage.reason, outage.from, isFilled)
        : isLoss
          ? this.#gap('silent-loss', this.#checkedAt, isFilled)
          : undefined;
    this.#lagsFrom = outage?.from;
    this.#outage = undefined;
    this.#checkedAt = startedAt;
    this.#failures = unknown.length > 0 ? this.#failures + 1 : 0;
    const changes = missed.flatMap((seen) => this.states.see(seen, performance.now()));
    const orders = current === undefined ? this.states.open() : this.#ordersAfter(current.orders, changes);
    this.current = { status: 'live', orders, unknown };
    // First: the last subscriber may leave inside of an item, or of an event.
    this.#releaseLater();
    this.#checkAfter(this.#nextCheckMs());
    if (gap !== undefined) this.#context.reportGap(gap);
    this.#context.emit({ items: [...(gap === undefined ? [] : [gap]), ...changes], isFirst });
  }

  #nextCheckMs(): number {
    if (this.#lagsFrom !== undefined) return this.#context.historyLagMs;
    if (this.#failures > 0) return this.#retryMs();
    return auditMs * (1 + auditJitter * (2 * this.#context.random() - 1));
  }

  #failed(error: unknown): void {
    if (isLasting(error)) {
      this.#context.fail(error);
      return;
    }
    this.#failures += 1;
    // First: the last subscriber may leave inside of the emission.
    this.#checkAfter(this.#retryMs());
    // What was lost since the last check does not show.
    this.#setStale();
  }

  #setStale(): void {
    if (this.current?.status !== 'live') return;
    this.current = { ...this.current, status: 'stale' };
    this.#context.emit({ items: [], isFirst: false });
  }

  #retryMs(failures = this.#failures): number {
    const maxMs = backoff(failures + 1, minRetryMs, maxRetryMs);
    return minRetryMs + this.#context.random() * (maxMs - minRetryMs);
  }

  #checkAfter(ms: number): void {
    clearTimeout(this.#checkTimer);
    // A subscriber may have left when it got the last item.
    if (this.#isOver) return;
    this.#checkTimer = setTimeout(() => {
      this.#startCheck();
    }, ms);
  }

  #stopCheck(): void {
    this.#check.unsubscribe();
    clearTimeout(this.#checkTimer);
  }

  #gap(reason: LiveGap['reason'], from: number, filled: boolean): LiveGap {
    const { market } = this.#context;
    return { kind: 'gap', channel: ordersPending.name, market, reason, filled, from, to: this.#clock.nowS };
  }

  #emitChanges(changes: readonly OrderChange[]): void {
    this.#releaseLater();
    if (changes.length === 0) return;
    const { current } = this;
    if (current !== undefined) this.current = { ...current, orders: this.#ordersAfter(current.orders, changes) };
    this.#context.emit({ items: changes, isFirst: false });
  }

  #ordersAfter(
    before: ReadonlyMap<number, LiveOrder>,
    changes: readonly OrderChange[],
  ): ReadonlyMap<number, LiveOrder> {
    if (changes.length === 0) return before;
    const orders = new Map(before);
    for (const change of changes) {
      const { order } = change;
      if (change.kind === 'modified') orders.delete(change.replaces);
      if (this.states.hasEnded(order.order_id)) orders.delete(order.order_id);
      else orders.set(order.order_id, order);
    }
    return orders;
  }

  #releaseLater(): void {
    clearTimeout(this.#releaseTimer);
    const { releaseAt } = this.states;
    if (releaseAt === undefined || this.#isOver) return;
    const release = () => {
      this.#emitChanges(this.states.release(performance.now()));
    };
    // A timer may fire up to 1 ms early.
    this.#releaseTimer = setTimeout(release, Math.max(0, releaseAt - performance.now()) + 1);
  }
}
