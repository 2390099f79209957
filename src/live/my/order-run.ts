// The orders of a market while somebody subscribes: pushes, and checks by requests wherever pushes may be missing.
import { catchError, EMPTY, Subscription, type Observable, type Subscriber } from 'rxjs';
import type { LiveOrder } from '../../model/live-order.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { ordersPending, type OtoOrderChange, type SeenOrder } from '../channels/account.js';
import type { Interruption, KeySubscriptions, PushItem } from '../channel.js';
import { gapOf, Outage, Recovery, type GapFact, type ReadKind, type Recoverable } from '../recovery/index.js';
import type { Account } from './account.js';
import type { AccountStatus } from './account-state.js';
import { checkOrders, type CheckedOrders } from './order-check.js';
import { OrderStates, type OrderChange } from './order-states.js';
import { compareAge } from './order-version.js';

/** An item of {@link My.orders}. Switch on `kind`. */
export type LiveOrderItem = OrderChange | OtoOrderChange | LiveGap;

/** The open orders of the account, as {@link My.openOrders} emits them. */
export interface LiveOpenOrders extends AccountStatus {
  /** Every open order: one that is missing has ended. Immutable. */
  readonly orders: readonly LiveOrder[];
  /**
   * Orders among them that may have ended: neither the open orders nor the history of the exchange show them. They are
   * looked up again until the history does.
   */
  readonly unknown: readonly number[];
}

export type OpenOrdersState = Omit<LiveOpenOrders, 'receivedAt'>;

const auditMs = 60_000;
/** Audits of many markets must not come together: by this part earlier or later. */
const auditJitter = 0.1;
/** Far longer than a push takes. */
const pushLagMs = 2000;
/** The clocks of this machine and the exchange may differ by this, seconds. */
const clockErrorS = 60;
/** The exchange says its time in whole seconds, in a response that takes a while: an order that ended before is no loss. */
const timeErrorS = 2;

export interface OrderChannels {
  readonly pending: KeySubscriptions<SeenOrder>;
  readonly executed: KeySubscriptions<SeenOrder>;
  /** The changes of conditional orders of all markets. */
  readonly otos$: Observable<PushItem<OtoOrderChange>>;
}

export class OrderRun implements Recoverable<CheckedOrders> {
  readonly states = new OrderStates();
  readonly #account: Account;
  readonly #market: string;
  readonly #subscriber: Subscriber<readonly LiveOrderItem[]>;
  readonly #recovery: Recovery<CheckedOrders>;
  readonly #outage = new Outage();
  readonly #clockOrigin = Date.now() - performance.now();
  /** The exchange's clock minus that of this machine, seconds; `undefined` before it was read. */
  #aheadS: number | undefined;
  #readingTime = Subscription.EMPTY;
  #heardAt = this.#now;
  /** When the last check that succeeded began. */
  #checkedAt = this.#heardAt;
  #startedAt = this.#heardAt;
  /** `undefined` before the open orders were read. */
  #current: Omit<OpenOrdersState, 'orders'> | undefined;
  #releaseTimer: NodeJS.Timeout | undefined;

  constructor(
    account: Account,
    { pending, executed, otos$ }: OrderChannels,
    market: string,
    subscriber: Subscriber<readonly LiveOrderItem[]>,
  ) {
    const { random, historyLagMs } = account;
    this.#account = account;
    this.#market = market;
    this.#subscriber = subscriber;
    const auditAfterMs = () => auditMs * (1 + auditJitter * (2 * random() - 1));
    this.#recovery = new Recovery(subscriber, this, { random, historyLagMs, pushLagMs, auditAfterMs });
    // The exchange may push an end on either of two channels.
    for (const subscriptions of [pending, executed])
      this.#recovery.follow(subscriptions, market, (seen) => {
        account.onOrderPushed(seen.order);
        this.#see(seen);
      });
    const otos = otos$.subscribe((pushed) => {
      this.#onOto(pushed);
    });
    subscriber.add(() => {
      otos.unsubscribe();
      this.#readingTime.unsubscribe();
      clearTimeout(this.#releaseTimer);
    });
  }

  /** `undefined` before they were read. */
  get openOrders(): OpenOrdersState | undefined {
    return this.#current && { ...this.#current, orders: this.states.open };
  }

  interrupt(reason: Interruption): void {
    this.#outage.begin(reason, Math.max(this.#heardAt, this.#checkedAt));
    this.#setStale();
  }

  read(): Observable<CheckedOrders> {
    const { orderReads, historyLagMs } = this.#account;
    this.#startedAt = this.#now;
    this.#readTime();
    const aheadS = this.#aheadS;
    const lostSince = this.#outage.from;
    const canAudit = this.#current !== undefined && aheadS !== undefined;
    const since = lostSince ?? (canAudit ? this.#checkedAt - historyLagMs / 1000 : undefined);
    const historyFrom = since === undefined ? undefined : since + (aheadS ?? 0) - clockErrorS;
    const beganAt =
      aheadS === undefined
        ? Number.NEGATIVE_INFINITY
        : this.#timeAt(this.#recovery.beganAt) + aheadS + (lostSince === undefined ? timeErrorS : 0);
    return checkOrders(this.states, orderReads, this.#market, historyFrom, beganAt);
  }

  bridge(checked: CheckedOrders, kind: ReadKind): boolean {
    const isFirst = this.#current === undefined;
    const isPartial = kind === 'extra';
    // In the order in which they were placed: each modification is known before the next one.
    const missed = checked.seen
      .filter((seen) => this.states.isNews(seen))
      .toSorted((one, other) => compareAge(one.order, other.order));
    const unknown = checked.unknown.filter((id) => this.states.isOpen(id));
    const gap = this.#gapAfter(missed, unknown, checked.isWhole, isPartial);
    if (!isPartial) this.#checkedAt = this.#startedAt;
    const changes = missed.flatMap((seen) => this.states.see(seen, performance.now()));
    this.#current = { status: isPartial || !checked.isOpenWhole ? 'stale' : 'live', unknown };
    // First: the last subscriber may leave inside of an item, or of an event.
    this.#releaseLater();
    // An order that was pushed before the first list may have ended before it.
    const items = changes.filter(({ kind }) => !isFirst || kind !== 'opened');
    this.#emit([...(gap === undefined ? [] : [gap]), ...items]);
    return unknown.length === 0;
  }

  /** What was lost since the last check does not show. */
  fail(): void {
    this.#setStale();
  }

  /** Unix seconds by the machine's clock, also after it was set. */
  get #now(): number {
    return this.#timeAt(performance.now());
  }

  #timeAt(time: number): number {
    return (this.#clockOrigin + time) / 1000;
  }

  /** An unreadable change of a conditional order is a gap that no list fills. */
  #onOto(pushed: PushItem<OtoOrderChange>): void {
    if ((pushed.key ?? this.#market) !== this.#market) return;
    const from = Math.max(this.#heardAt, this.#checkedAt);
    this.#emit('item' in pushed ? [pushed.item] : [this.#gap({ reason: 'unreadable', from, filled: false })]);
  }

  /** Reads the exchange's time. Without a result, the last difference counts. */
  #readTime(): void {
    this.#readingTime.unsubscribe();
    this.#readingTime = this.#account
      .readTime()
      .pipe(catchError(() => EMPTY))
      .subscribe((time) => {
        this.#aheadS = time - this.#now;
      });
  }

  #see(seen: SeenOrder): void {
    // Whether it is open is found by requests, which list no more of them.
    if (this.states.isFull && !this.states.has(seen.order.order_id)) {
      this.#recovery.interrupt('unreadable');
      return;
    }
    this.#heardAt = this.#now;
    this.#emitChanges(this.states.see(seen, performance.now()));
  }

  /** What a check says of missing orders: that there may be some, that there are no more, or that pushes were lost. */
  #gapAfter(
    missed: readonly SeenOrder[],
    unknown: readonly number[],
    isWhole: boolean,
    isPartial: boolean,
  ): LiveGap | undefined {
    const outage = this.#outage;
    const isKnown = unknown.length === 0;
    if (outage.reason === undefined) {
      const wasUnknown = this.#current?.unknown ?? [];
      const isLoss = this.#current !== undefined && missed.some(({ order }) => !wasUnknown.includes(order.order_id));
      const loss = { reason: 'silent-loss', from: this.#checkedAt, filled: isWhole && isKnown };
      return isLoss ? this.#gap(loss) : undefined;
    }
    if (outage.isRead && !isKnown) return undefined;
    if (isPartial && missed.length === 0) return undefined;
    const fact = outage.read(isPartial, isWhole);
    return fact && this.#gap(fact);
  }

  #gap(fact: GapFact): LiveGap {
    return gapOf(ordersPending.name, this.#market, fact, this.#now);
  }

  #setStale(): void {
    if (this.#current?.status !== 'live') return;
    this.#current = { ...this.#current, status: 'stale' };
    this.#emit([]);
  }

  #emitChanges(changes: readonly OrderChange[]): void {
    this.#releaseLater();
    if (changes.length > 0) this.#emit(changes);
  }

  #emit(items: readonly LiveOrderItem[]): void {
    for (const item of items) if (item.kind === 'gap') this.#account.reportGap(item);
    this.#subscriber.next(items);
    this.states.trim();
  }

  #releaseLater(): void {
    clearTimeout(this.#releaseTimer);
    const { releaseAt } = this.states;
    if (releaseAt === undefined || this.#subscriber.closed) return;
    const release = () => {
      this.#emitChanges(this.states.release(performance.now()));
    };
    // A timer may fire up to 1 ms early.
    this.#releaseTimer = setTimeout(release, Math.max(0, releaseAt - performance.now()) + 1);
  }
}
