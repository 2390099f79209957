// The orders of a market for all of their subscribers: their changes, the open ones, and single orders to their ends.
import { defer, distinctUntilChanged, filter, map, Observable, share, startWith, Subscription } from 'rxjs';
import type { Order } from '../../model/order.js';
import type { LiveGap } from '../../model/stream-gap.js';
import type { KeySubscriptions, PushItem } from '../channel.js';
import type { RefusedError } from '../state-stream.js';
import type { LiveOrderItem, OrderChange, OtoOrderChange } from './order-change.js';
import type { OrderReads } from './order-check.js';
import { OrderRun, type OpenOrdersState, type OrderUpdate } from './order-run.js';
import type { SeenOrder } from './order-states.js';
import { knownOrder, mayBeReplaced } from './order-version.js';

export interface OrderSource {
  readonly pending: KeySubscriptions<SeenOrder>;
  readonly executed: KeySubscriptions<SeenOrder>;
  /** The changes of conditional orders of all markets. */
  readonly otos$: Observable<PushItem<OtoOrderChange>>;
  readonly reads: OrderReads;
  /** The exchange's time, whole Unix seconds. */
  readonly readTime: () => Observable<number>;
  /** How long an order may be missing from the history after it ended, milliseconds. */
  readonly historyLagMs: number;
  /** Random numbers from 0 to 1. */
  readonly random: () => number;
  readonly refusedError: RefusedError;
  readonly reportGap: (gap: LiveGap) => void;
  /** Every order that is pushed. */
  readonly onPush: (order: Order) => void;
}

export class OrderStream {
  readonly #updates$: Observable<OrderUpdate>;
  readonly #followed = new Set<Order>();
  #run: OrderRun | undefined;

  constructor(source: OrderSource, market: string) {
    const { reads, readTime, random, reportGap, historyLagMs } = source;
    this.#updates$ = new Observable<OrderUpdate>((subscriber) => {
      const run = new OrderRun({
        ...{ market, reads, readTime, random, reportGap, historyLagMs },
        followed: () => [...this.#followed],
        onPush: source.onPush,
        onRefused: (refusal) => {
          subscriber.error(source.refusedError(market, refusal));
        },
        emit: (update) => {
          subscriber.next(update);
        },
        fail: (error) => {
          subscriber.error(error);
        },
      });
      this.#run = run;
      for (const channel of [source.pending, source.executed]) run.follow(channel);
      const otos = source.otos$.subscribe((pushed) => {
        if ((pushed.key ?? market) === market) run.onOto('item' in pushed ? pushed.item : undefined);
      });
      return () => {
        // A subscriber may have come back inside of the error of this run.
        if (this.#run === run) this.#run = undefined;
        run.end();
        otos.unsubscribe();
      };
    }).pipe(share());
  }

  /** The changes since the subscription. */
  get items$(): Observable<LiveOrderItem> {
    return new Observable((subscriber) =>
      this.#updates$.subscribe({
        next: ({ items, isFirst }) => {
          // An order that is pushed before the first list may end before it, too.
          for (const item of items) if (!isFirst || item.kind !== 'opened') subscriber.next(item);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
      }),
    );
  }

  /** The open orders, at each change; a late subscriber gets them at once. */
  get open$(): Observable<OpenOrdersState> {
    return defer(() =>
      this.#updates$.pipe(
        startWith(undefined),
        map(() => this.#run?.current),
        filter((current) => current !== undefined),
        distinctUntilChanged(isSameState),
      ),
    );
  }

  /** The changes of one order, and of what it is modified to, to its end. */
  follow(placed: Order): Observable<OrderChange> {
    return new Observable((subscriber) => {
      let id = placed.order_id;
      /** The order that the followed one has replaced. */
      let replaced: number | undefined;
      let lookup = Subscription.EMPTY;
      const end = (change: OrderChange) => {
        subscriber.next(change);
        subscriber.complete();
      };
      const take = (change: OrderChange) => {
        const { order, kind } = change;
        const isNext = kind === 'modified' && change.replaces === id;
        // A modification of several that came together may have been found already.
        const isKnown = kind === 'modified' && change.replaces === replaced;
        if (isKnown || (!isNext && order.order_id !== id)) return;
        lookup.unsubscribe();
        if (isNext) replaced = id;
        id = order.order_id;
        const run = this.#run;
        if (kind !== 'ended') subscriber.next(change);
        else if (run === undefined || !mayBeReplaced(knownOrder(order, true))) end(change);
        else {
          lookup = run.findReplacement(order).subscribe({
            complete: () => {
              if (id === order.order_id) end(change);
            },
          });
          subscriber.add(lookup);
        }
        if (!isNext || run === undefined) return;
        // The order that replaces it may have ended before its predecessor was known to.
        for (const later of run.states.changesSince(order)) take(later);
        if (run.states.isForgotten(id)) findEnd(run);
      };
      const findEnd = (run: OrderRun) => {
        const error = (failure: unknown) => {
          subscriber.error(failure);
        };
        lookup.unsubscribe();
        lookup = run.findEnd(id).subscribe({ next: take, error });
        subscriber.add(lookup);
      };
      this.#followed.add(placed);
      subscriber.add(() => {
        this.#followed.delete(placed);
      });
      subscriber.add(
        this.#updates$.subscribe({
          next: ({ items }) => {
            for (const item of items) {
              if (item.kind === 'gap' || item.kind === 'oto') continue;
              const run = this.#run;
              // Other subscribers have had an end that was reported before the modification, or instead of it.
              const isEnd = item.kind === 'ended' && item.order.order_id === id;
              if (isEnd && run?.states.isForgotten(id) === true && mayBeReplaced(knownOrder(item.order, true)))
                findEnd(run);
              else take(item.kind === 'modified' ? item : (run?.states.modificationOf(id) ?? item));
            }
          },
          error: (error: unknown) => {
            subscriber.error(error);
          },
        }),
      );
      // Pushes may have come before the response to the request that placed the order.
      for (const change of this.#run?.states.changesSince(placed) ?? []) take(change);
      const run = this.#run;
      if (run === undefined || subscriber.closed) return;
      if (run.states.isForgotten(id)) findEnd(run);
      else subscriber.add(run.expect(id));
    });
  }
}

function isSameState(one: OpenOrdersState, other: OpenOrdersState): boolean {
  return (
    one.status === other.status &&
    one.orders === other.orders &&
    one.unknown.length === other.unknown.length &&
    one.unknown.every((id, index) => other.unknown[index] === id)
  );
}
