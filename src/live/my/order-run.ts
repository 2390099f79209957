// The orders of a market while somebody subscribes: pushes, and checks by requests wherever pushes may be missing.
import { catchError, EMPTY, ignoreElements, retry, tap, type Observable } from 'rxjs';
import type { LiveOrder } from '../../model/live-order.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { ordersPending } from '../channels/orders.js';
import { backoff } from '../../call/index.js';
import type { Interruption, KeySubscriptions } from '../channel.js';
import type { Refusal } from '../connection/index.js';
import { Outage, Recovery, type ReadKind, type Recoverable } from '../recovery/index.js';
import { AccountClock } from './account-clock.js';
import type { LiveOrderItem, OrderChange, OtoOrderChange } from './order-change.js';
import { checkOrders, type CheckedOrders, type OrderReads } from './order-check.js';
import { OpenOrders } from './open-orders.js';
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
  readonly orders: OpenOrders<LiveOrder>;
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
  /** Every order that is pushed. */
  readonly onPush: (order: LiveOrder) => void;
  readonly onRefused: (refusal: Refusal) => void;
  readonly emit: (update: OrderUpdate) => void;
  readonly fail: (error: unknown) => void;
  readonly reportGap: (gap: LiveGap) => void;
}

const auditMs = 60_000;
/** Audits of many markets must not come together: by this part earlier or later. */
const auditJitter = 0.1;
/** Far longer than a push takes. */
const pushMs = 2000;
/** A followed order that was placed just now is pushed within this time. */
const followMs = 1000;
/** The clocks of this machine and the exchange may differ by this, seconds. */
const clockErrorS = 60;
/** The exchange says its time in whole seconds, in a response that takes a while: an order that ended before is no loss. */
const timeErrorS = 2;
const minRetryMs = 1000;
const maxLookupRetries = 3;
const maxRetryMs = 60_000;

export class OrderRun implements Recoverable<CheckedOrders> {
  readonly states = new OrderStates();
  /** `undefined` before the open orders were read. */
  current: OpenOrdersState | undefined;
  readonly #context: OrderRunContext;
  readonly #recovery: Recovery<CheckedOrders>;
  readonly #outage = new Outage();
  readonly #clock: AccountClock;
  #heardAt: number;
  /** When the last check that succeeded began. */
  #checkedAt: number;
  /** When the check in flight began, and the followed orders that it looks up. */
  #startedAt: number;
  #expected: readonly LiveOrder[] = [];
  /** When both channels were confirmed first. */
  #beganAt: number | undefined;
  #isOver = false;
  #releaseTimer: NodeJS.Timeout | undefined;

  constructor(context: OrderRunContext) {
    const { random, historyLagMs, readTime } = context;
    this.#context = context;
    this.#clock = new AccountClock(readTime);
    this.#heardAt = this.#clock.nowS;
    this.#checkedAt = this.#heardAt;
    this.#startedAt = this.#heardAt;
    const auditAfterMs = () => auditMs * (1 + auditJitter * (2 * random() - 1));
    this.#recovery = new Recovery(this, { random, historyLagMs, auditAfterMs });
  }

  /** Follows a channel: the exchange may push an end on either of two. */
  follow(subscriptions: KeySubscriptions<SeenOrder>): void {
    const { market, onPush, onRefused } = this.#context;
    this.#recovery.follow(subscriptions, market, {
      onItem: (seen) => {
        onPush(seen.order);
        this.#see(seen);
      },
      onRefused,
    });
  }

  interrupt(reason: Interruption): void {
    if (this.#beganAt !== undefined) this.#outage.begin(reason, Math.max(this.#heardAt, this.#checkedAt));
    this.#setStale();
  }

  read(): Observable<CheckedOrders> {
    const { market, reads, followed, historyLagMs } = this.#context;
    const isFirst = this.current === undefined;
    this.#startedAt = this.#clock.nowS;
    this.#beganAt ??= this.#startedAt;
    this.#clock.read();
    const { aheadS } = this.#clock;
    const since = this.#outage.from;
    const canAudit = !isFirst && aheadS !== undefined;
    const from = since ?? (canAudit ? this.#checkedAt - historyLagMs / 1000 : undefined);
    this.#expected = followed().filter(({ order_id: id }) => !this.states.has(id) && !this.states.isForgotten(id));
    return checkOrders(this.states, reads, {
      ...{ market, followed: this.#expected },
      from: from === undefined ? undefined : from + (aheadS ?? 0) - clockErrorS,
      beganAt:
        aheadS === undefined
          ? Number.NEGATIVE_INFINITY
          : this.#beganAt + aheadS + (since === undefined ? timeErrorS : 0),
      // While pushes may be missing, a difference is no silent loss.
      graceMs: isFirst || since !== undefined ? 0 : pushMs,
    });
  }

  bridge(checked: CheckedOrders, kind: ReadKind): boolean {
    const { missed, unknown, isOpenWhole } = checked;
    const { current } = this;
    const isPartial = kind === 'extra' && this.#outage.reason !== undefined && !this.#outage.isRead;
    const gap = this.#gapOf(checked, kind, isPartial);
    if (!isPartial) this.#checkedAt = this.#startedAt;
    const changes = missed.flatMap((seen) => this.states.see(seen, performance.now()));
    const orders =
      current === undefined ? OpenOrders.of(this.states.open()) : this.#ordersAfter(current.orders, changes);
    this.current = { status: isPartial || !isOpenWhole ? 'stale' : 'live', orders, unknown };
    // First: the last subscriber may leave inside of an item, or of an event.
    this.#releaseLater();
    if (gap !== undefined) this.#context.reportGap(gap);
    this.#context.emit({ items: [...(gap === undefined ? [] : [gap]), ...changes], isFirst: current === undefined });
    return unknown.length === 0;
  }

  fail(error: unknown, isLasting: boolean): void {
    if (isLasting) this.#context.fail(error);
    // What was lost since the last check does not show.
    else this.#setStale();
  }

  #see(seen: SeenOrder): void {
    // Whether it is open is found by requests, which list no more of them.
    if (this.states.isFull && !this.states.has(seen.order.order_id)) {
      this.#recovery.interrupt('unreadable');
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
    const timer = setTimeout(() => {
      if (!this.states.has(order_id)) this.#recovery.readNow();
    }, followMs);
    return () => {
      clearTimeout(timer);
    };
  }

  end(): void {
    this.#isOver = true;
    this.#recovery.end();
    this.#clock.end();
    clearTimeout(this.#releaseTimer);
  }

  /** What a check says of missing orders: that there may be some, that there are no more, or that pushes were lost. */
  #gapOf({ missed, unknown, isWhole }: CheckedOrders, kind: ReadKind, isPartial: boolean): LiveGap | undefined {
    const outage = this.#outage;
    const isKnown = unknown.length === 0;
    if (outage.reason === undefined) {
      const known = [...(this.current?.unknown ?? []), ...this.#expected.map(({ order_id }) => order_id)];
      const isLoss = this.current !== undefined && missed.some(({ order }) => !known.includes(order.order_id));
      return isLoss ? this.#gap('silent-loss', this.#checkedAt, isWhole && isKnown) : undefined;
    }
    if (outage.isRead && (!isKnown || kind === 'first' || kind === 'extra')) return undefined;
    if (isPartial && missed.length === 0) return undefined;
    const fact = outage.isRead ? outage.end() : outage.read(isPartial);
    // No later read finds what this one could not list.
    return fact === undefined || (fact.filled && !isWhole) ? undefined : this.#gap(fact.reason, fact.from, fact.filled);
  }

  #setStale(): void {
    if (this.current?.status !== 'live') return;
    this.current = { ...this.current, status: 'stale' };
    this.#context.emit({ items: [], isFirst: false });
  }

  #retryMs(failures: number): number {
    const maxMs = backoff(failures + 1, minRetryMs, maxRetryMs);
    return minRetryMs + this.#context.random() * (maxMs - minRetryMs);
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

  #ordersAfter(before: OpenOrders<LiveOrder>, changes: readonly OrderChange[]): OpenOrders<LiveOrder> {
    return before.with(
      changes.flatMap((change) => {
        const { order_id } = change.order;
        const next = [order_id, this.states.hasEnded(order_id) ? undefined : change.order] as const;
        return change.kind === 'modified' ? [[change.replaces, undefined] as const, next] : [next];
      }),
    );
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
