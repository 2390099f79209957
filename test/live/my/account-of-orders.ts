// The orders of an account on a hand-written exchange: what they are, which pushes arrive, and what requests show.
import { concatMap, defer, EMPTY, from, map, of, Subject, timer, throwError, type Observable } from 'rxjs';
import * as v from 'valibot';
import { liveOrderSchema, type LiveOrder } from '../../../src/model/live-order.js';
import type { LiveGap } from '../../../src/model/stream-gap.js';
import { TransportError } from '../../../src/errors/index.js';
import type { Follower, KeySubscriptions, PushItem } from '../../../src/live/channel.js';
import type { OtoOrderChange, SeenOrder } from '../../../src/live/channels/account.js';
import type { OrderReads } from '../../../src/live/my/account.js';
import type { LiveOrderItem } from '../../../src/live/my/order-run.js';
import { OrderStream } from '../../../src/live/my/orders.js';
import { seconds } from '../setup.js';

export const market = 'BTC_USDT';

class Channel implements KeySubscriptions<SeenOrder> {
  follower: Follower<SeenOrder> | undefined;

  follow(_: string, follower: Follower<SeenOrder>): () => void {
    this.follower = follower;
    return () => {
      this.follower = undefined;
    };
  }

  renew(): void {
    throw new Error('orders are not subscribed again');
  }
}

type Fields = Readonly<Record<string, unknown>>;

interface WireOrder extends Fields {
  readonly id: number;
  readonly mtime: number;
  readonly isOpen: boolean;
}

export type Delivery = 'pushed' | 'lost';

export class AccountOfOrders {
  readonly pending = new Channel();
  readonly executed = new Channel();
  readonly otos = new Subject<PushItem<OtoOrderChange>>();
  readonly gaps: LiveGap[] = [];
  readonly requests: string[] = [];
  /** From when the history was read, Unix seconds. */
  readonly historyReads: number[] = [];
  readonly orders = new Map<number, WireOrder>();
  readonly hidden = new Set<number>();
  failure: Error | undefined;
  isConnected = false;
  /** Whether it says its time. */
  isTimeKnown = true;
  /** Its clock minus that of this machine, seconds. */
  clockAheadS = 0;
  /** How long a request takes before and after the exchange reads its orders. */
  latencyMs = 0;
  readonly #reads: OrderReads = {
    openOrders: () => this.#respond('open', () => ({ orders: this.#listed(true).map(withoutTime), isWhole: true })),
    endedOrder: ({ order_id }) =>
      this.#respond(`ended ${order_id}`, () => this.#listed(false).filter((order) => order.order_id === order_id)).pipe(
        concatMap((orders) => from(orders)),
      ),
    ordersOf: ({ client_order_id }) =>
      this.#respond('identifier', () => [true, false].flatMap((isOpen) => this.#seen(isOpen))).pipe(
        concatMap((seen) => from(seen.filter(({ order }) => order.client_order_id === client_order_id))),
      ),
    endedOrders: ({ from: since }) => {
      this.historyReads.push(since);
      return this.#respond('history', () => ({
        orders: this.#listed(false)
          .filter(({ mtime = 0 }) => mtime >= since)
          .toReversed(),
        isWhole: true,
      }));
    },
  };
  readonly stream = new OrderStream(
    {
      ...{ hasCredentials: true, orderReads: this.#reads, onOrderPushed: () => undefined },
      ...{ readExecutions: () => EMPTY, readPositions: () => EMPTY, readAdlQuantiles: () => EMPTY },
      ...{ historyLagMs: 2000, random: () => 0.5, reportGap: (gap) => this.gaps.push(gap) },
      readTime: () => (this.isTimeKnown ? of(Math.floor(this.now)) : throwError(() => lost)),
    },
    { pending: this.pending, executed: this.executed, otos$: this.otos },
    market,
  );

  connect(): void {
    this.isConnected = true;
    this.pending.follower?.onSubscribed();
    this.executed.follower?.onSubscribed();
  }

  cut(): void {
    this.isConnected = false;
    this.pending.follower?.onInterrupted('reconnect');
    this.executed.follower?.onInterrupted('reconnect');
  }

  place(fields: Fields = {}, delivery: Delivery = 'pushed'): number {
    const id = this.orders.size + 1;
    const { now } = this;
    this.#change(
      {
        ...{ id, market, type: 1, side: 2, ioc: false, ctime: now, mtime: now, price: '60000', amount: '1', left: '1' },
        ...{ deal_stock: '0', deal_money: '0', deal_fee: '0', client_order_id: `a-${id}` },
        ...{ status: 'OPEN', isOpen: true },
        ...fields,
      },
      1,
      delivery,
    );
    return id;
  }

  fill(id: number, amount: number, delivery: Delivery = 'pushed'): void {
    const isOpen = amount < 1;
    this.#update(
      id,
      {
        ...{ deal_stock: String(amount), deal_money: String(60_000 * amount), deal_fee: String(60 * amount) },
        ...{ left: String(1 - amount), status: isOpen ? 'PARTIALLY_FILLED' : 'FILLED', isOpen },
      },
      delivery,
    );
  }

  cancel(id: number, delivery: Delivery = 'pushed'): void {
    this.#update(id, { status: 'CANCELED', isOpen: false }, delivery);
  }

  modify(id: number, delivery: Delivery = 'pushed'): number {
    this.cancel(id, delivery);
    return this.place({ client_order_id: this.orders.get(id)?.['client_order_id'], price: '61000' }, delivery);
  }

  get now(): number {
    return Date.now() / 1000 + this.clockAheadS;
  }

  get openIds(): readonly number[] {
    return [...this.orders.values()].filter(({ isOpen }) => isOpen).map(({ id }) => id);
  }

  placed(id: number): LiveOrder {
    return withoutTime(read(this.orders.get(id)));
  }

  /** Pushes an order as it is, with these fields. */
  push(id: number, event: number, fields: Fields = {}): void {
    if (!this.isConnected) return;
    const { isOpen: _, ...wire } = { ...this.orders.get(id), ...fields };
    const seen = { order: read(wire) };
    this.pending.follower?.onItem({ ...seen, hasEnded: event === 3, isNew: event === 1 });
    if (event === 3) this.executed.follower?.onItem({ ...seen, hasEnded: true });
  }

  #update(id: number, fields: Fields & Pick<WireOrder, 'isOpen'>, delivery: Delivery): void {
    const before = this.orders.get(id);
    if (before === undefined) throw new Error(`there is no order ${id}`);
    const mtime = Math.max(this.now, before.mtime + 0.001);
    this.#change({ ...before, ...fields, mtime }, fields.isOpen ? 2 : 3, delivery);
  }

  #change(order: WireOrder, event: number, delivery: Delivery): void {
    this.orders.set(order.id, order);
    if (delivery === 'pushed') this.push(order.id, event);
  }

  #seen(isOpen: boolean): SeenOrder[] {
    return this.#listed(isOpen).map((order) => ({ order, hasEnded: !isOpen }));
  }

  #listed(isOpen: boolean): LiveOrder[] {
    return [...this.orders.values()]
      .filter((order) => order.isOpen === isOpen && !this.hidden.has(order.id))
      .map(({ isOpen: _, ...wire }) => read(wire));
  }

  #respond<Value>(name: string, value: () => Value): Observable<Value> {
    return defer(() => {
      this.requests.push(name);
      const { failure, latencyMs } = this;
      if (failure !== undefined) return throwError(() => failure);
      if (latencyMs === 0) return from([value()]);
      return timer(latencyMs).pipe(
        map(value),
        concatMap((result) => timer(latencyMs).pipe(map(() => result))),
      );
    });
  }
}

export const brief = (item: LiveOrderItem): string => {
  if (item.kind === 'gap') return `gap ${item.reason} ${item.filled ? 'filled' : 'unfilled'}`;
  if (item.kind === 'oto') return `oto ${item.event}`;
  const { kind, order } = item;
  return `${kind} ${order.order_id} ${order.status ?? ''}`;
};

/** Without the states of orders. */
export const short = (item: LiveOrderItem) => (item.kind === 'gap' ? brief(item) : brief(item).replace(/ \w*$/, ''));

export function watched<Value>(source$: Observable<Value>) {
  const values: Value[] = [];
  const result = { values, error: undefined as unknown, isComplete: false };
  source$.subscribe({
    next: (value) => values.push(value),
    error: (error: unknown) => Object.assign(result, { error }),
    complete: () => Object.assign(result, { isComplete: true }),
  });
  return result;
}

export async function connected(prepare: (account: AccountOfOrders) => void = () => undefined) {
  const account = new AccountOfOrders();
  prepare(account);
  const items = watched(account.stream.items$);
  const open = watched(account.stream.open$);
  account.connect();
  await seconds(0.01);
  return { account, items, open, briefs: () => items.values.map(brief) };
}

export const openOf = (open: Awaited<ReturnType<typeof connected>>['open']) => {
  const last = open.values.at(-1);
  return last === undefined ? 'none' : `${last.status} ${last.orders.map(({ order_id }) => order_id).join(' ')}`;
};

export const lost = new TransportError('the connection was lost', { endpoint: 'orders.open', outcome: 'unknown' });

function read(wire: unknown): LiveOrder {
  return v.parse(liveOrderSchema, wire);
}

/** A list of open orders has no time of the last change. */
function withoutTime({ mtime: _, ...order }: LiveOrder): LiveOrder {
  return order;
}
