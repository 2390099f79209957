// The orders of a client: which client_order_id is in use by which observable, which orders are in doubt, which order_id
// was reported for which client_order_id, and whether each endpoint keeps client_order_id.
import { asapScheduler, auditTime, concat, defer, map, of, Subject, type Observable } from 'rxjs';
import { nonceWindowMs } from '../auth/index.js';
import type { IsOfAnother } from '../call/index.js';
import type { OrderKey, ReplacedOrder } from '../endpoint/index.js';
import { isRecord } from '../model/map.js';
import { placedAt, type Order } from '../model/order.js';
import { NewestEntries } from './newest-entries.js';
import type { OrderClaim, UndecidedOrder } from './order-fields.js';

/** The observable that holds an identifier. */
interface Owner {
  /** `undefined` after it has released the identifier. */
  claim: OrderClaim | undefined;
  /** Whether the observable has a subscriber: then the order may still be sent. */
  isActive: boolean;
  /** When the request was sent that left the order in doubt, Unix ms by the client's clock. */
  doubtedSince?: number | undefined;
}

/** What an order is known by, as a response or a push shows it. */
interface ShownOrder {
  /** Its key in its market: its order_id, or its id when it is an order of several orders; `undefined` without either. */
  readonly number: string | undefined;
  readonly order_id: unknown;
  /** Empty without one. */
  readonly client_order_id: string;
  /** When it was placed, Unix ms; `NaN` without a timestamp. */
  readonly time: number;
  readonly side: unknown;
}

/** An order that the caller knows; the identifier is the one that it was reported for. */
type ReportedOrder = Pick<ShownOrder, 'client_order_id' | 'time' | 'side'>;

/** Times that differ by no more are of one order: a list may have it in seconds, and the response in microseconds. */
const sameTimeMs = 1;
const sameSecondMs = 1000;

/** Remembered identifiers that were used: at most 100 MB. An older one is accepted again, as it is by the exchange. */
const usedRemembered = 500_000;
/** Remembered order_ids, with the identifier that each was reported for: at most 60 MB. */
const reportedRemembered = 100_000;

export class OrderRegistry {
  /** By {@link ShownOrder.number}. */
  readonly #reported = new NewestEntries<ReportedOrder>(reportedRemembered);
  /** By identifier: the observable whose order is in flight or in doubt. */
  readonly #owners = new Map<string, Owner>();
  /**
   * By identifier: `placed`, for an order that was placed or found; or the observable of an order that was rejected or
   * proven absent, which may send it again. Weak: without its observable, an order needs no push.
   */
  readonly #used = new NewestEntries<'placed' | WeakRef<OrderClaim>>(usedRemembered);
  readonly #changed = new Subject<void>();
  /** By endpoint: whether every order of it that was placed had the identifier that was sent. */
  readonly #keepsIdentifiers = new Map<string, boolean>();

  /** The orders in doubt; emits at subscription, and once for all changes of a turn of the event loop. */
  readonly undecided$: Observable<readonly UndecidedOrder[]> = defer(() =>
    concat(of(undefined), this.#changed.pipe(auditTime(0, asapScheduler))),
  ).pipe(map(() => [...this.#owners.values()].flatMap(undecidedOrderOf)));

  /** Claims the identifier; false when another observable of this client holds it, or placed an order with it. */
  claim(order: OrderClaim): boolean {
    if (order.isFound === true) return true;
    const name = nameOf(order);
    const owner = this.#owners.get(name);
    if (owner === undefined ? this.#isPlaced(order) : owner.claim !== order) return false;
    if (owner === undefined) this.#owners.set(name, { claim: order, isActive: true });
    else owner.isActive = true;
    return true;
  }

  /** The observable of the order need not have a subscriber. */
  onPushed(order: Order): void {
    const { market, client_order_id } = order;
    const used = this.#used.get(market, client_order_id);
    const freed = used === 'placed' ? undefined : used?.deref();
    (this.claimOf(order) ?? freed)?.onPushed(order);
  }

  /** The last subscriber left, and the outcome of the order is unknown. */
  leave(order: OrderClaim, since: number): void {
    this.doubt(order, since);
    const owner = this.#owners.get(nameOf(order));
    if (owner?.claim === order) owner.isActive = false;
  }

  /** Whether a request with this identifier may still be sent, or was sent after `since`, by the local clock, and is in doubt. */
  isInFlight(key: OrderKey, since: number): boolean {
    const { isActive = false, doubtedSince = since } = this.#owners.get(nameOf(key)) ?? {};
    return isActive || doubtedSince > since;
  }

  #isPlaced({ market, client_order_id }: OrderKey): boolean {
    return this.#used.get(market, client_order_id) === 'placed';
  }

  /**
   * Why not finding an order of this identifier proves nothing; `undefined` if it does: only if an order of the endpoint
   * had its client_order_id, and none lacked it.
   */
  whyNoProof(key: OrderKey, endpoint = key.endpoint): string | undefined {
    // A list may show it late.
    if (this.#isPlaced(key)) return 'this client has seen an order of this client_order_id';
    if (endpoint === undefined)
      return 'the option endpoint is missing, and the endpoint of the order may drop client_order_id';
    const isKept = this.#keepsIdentifiers.get(endpoint);
    if (isKept === false) return `the exchange dropped the client_order_id of an order of ${endpoint}`;
    return isKept ? undefined : `no order of ${endpoint} has shown yet that the exchange keeps client_order_id`;
  }

  claimOf(key: OrderKey): OrderClaim | undefined {
    return this.#owners.get(nameOf(key))?.claim;
  }

  doubt(order: OrderClaim, since: number): void {
    const owner = this.#owners.get(nameOf(order));
    if (owner === undefined || owner.doubtedSince !== undefined) return;
    owner.doubtedSince = since;
    this.#changed.next();
  }

  decide(key: OrderKey): void {
    const owner = this.#owners.get(nameOf(key));
    if (owner?.doubtedSince === undefined) return;
    owner.doubtedSince = undefined;
    this.#changed.next();
  }

  /**
   * Whether an order of the exchange can belong to this identifier. An order_id is reported for one identifier only: if
   * it was reported for another, the response belongs to another request. The same order_id at another time is another
   * order, because a restarted exchange, such as a sandbox, numbers its orders from the start.
   *
   * @param earliest when the exchange can have accepted the order, Unix ms by its clock
   */
  canBe(key: OrderKey, order: unknown, earliest = Number.NEGATIVE_INFINITY): boolean {
    const shown = shownIn(order);
    const { client_order_id } = key;
    if (shown.client_order_id !== client_order_id && shown.time < earliest) return false;
    const reported = this.#reportedAs(key, shown);
    return reported === undefined || reported.client_order_id === client_order_id || isOtherTime(reported, shown);
  }

  /**
   * Whether a response can only be of another order: responses can get out of step on a connection, so that a late
   * response is read as the response to the next request.
   */
  responseCheckOf(key: OrderKey): IsOfAnother {
    return (output, nonce) => {
      // The exchange cannot have accepted the request earlier.
      const earliest = nonce === undefined ? undefined : nonce - nonceWindowMs;
      return !this.canBe(key, output, earliest);
    };
  }

  /**
   * Whether an order of the exchange can replace another: it is a later one, it was not reported for another identifier,
   * and it has the side and the identifier of the replaced order, if that was reported.
   */
  canReplace(replaced: ReplacedOrder, order: unknown): boolean {
    const shown = shownIn(order);
    const [old, known] = [this.#reportedAs(replaced, shownIn(replaced)), this.#reportedAs(replaced, shown)];
    const client_order_id = old?.client_order_id ?? replaced.client_order_id;
    const isOther = known !== undefined && known.client_order_id !== client_order_id;
    if (isOther && !isOtherTime(known, shown)) return false;
    if (typeof shown.order_id === 'number' && shown.order_id <= replaced.order_id) return false;
    if (old === undefined) return true;
    return [old.side, undefined].includes(shown.side) && [old.client_order_id, ''].includes(shown.client_order_id);
  }

  replace(replaced: ReplacedOrder, order: unknown): void {
    const shown = shownIn(order);
    const old = this.#reportedAs(replaced, shownIn(replaced));
    const client_order_id = shown.client_order_id || (old?.client_order_id ?? '');
    this.#report({ market: replaced.market, client_order_id }, shown);
  }

  #reportedAs({ market }: Pick<OrderKey, 'market'>, { number }: ShownOrder): ReportedOrder | undefined {
    return number === undefined ? undefined : this.#reported.get(market, number);
  }

  #report({ market, client_order_id }: OrderKey, { number, time, side }: ShownOrder): void {
    if (number !== undefined) this.#reported.set(market, number, { client_order_id, time, side });
  }

  /**
   * The order was placed, so its identifier stays in use; returns whether the response shows the identifier. If
   * `orders.find` found the order, the observable that placed it may report it, too.
   */
  place(key: OrderKey, order: unknown, endpoint = key.endpoint): boolean {
    const { market, client_order_id } = key;
    const shown = shownIn(order);
    const claim = this.#release(key);
    this.#report(key, shown);
    this.#used.set(market, client_order_id, 'placed');
    if (claim !== undefined && claim !== key) claim.isFound = true;
    const isIdentified = shown.client_order_id === client_order_id;
    if (endpoint !== undefined)
      this.#keepsIdentifiers.set(endpoint, isIdentified && this.#keepsIdentifiers.get(endpoint) !== false);
    return isIdentified;
  }

  /** The order does not exist, and no request in flight can create it: the identifier is free. */
  free(key: OrderKey): void {
    const isPlaced = this.#isPlaced(key);
    const claim = this.#release(key);
    if (claim !== undefined && !isPlaced) this.#used.set(key.market, key.client_order_id, new WeakRef(claim));
  }

  #release(key: OrderKey): OrderClaim | undefined {
    const name = nameOf(key);
    const owner = this.#owners.get(name);
    if (owner === undefined) return undefined;
    const { claim, doubtedSince } = owner;
    this.#owners.delete(name);
    // A Map that has grown or shrunk leaves its old table to the next major collection, with all that was in it: the owner
    // must not keep the order for so long.
    owner.claim = undefined;
    if (doubtedSince !== undefined) this.#changed.next();
    return claim;
  }
}

function undecidedOrderOf({ claim, doubtedSince: since }: Owner): UndecidedOrder[] {
  if (since === undefined || claim === undefined) return [];
  const { client_order_id, market, endpoint, fields } = claim;
  const shown = ['side', 'amount', 'price'].filter((name) => typeof fields[name] === 'string');
  return [
    { client_order_id, market, endpoint, ...Object.fromEntries(shown.map((name) => [name, fields[name]])), since },
  ];
}

/** An identifier is unique in its market. */
function nameOf({ market, client_order_id }: OrderKey): string {
  return `${market} ${client_order_id}`;
}

function shownIn(order: unknown): ShownOrder {
  const record = isRecord(order) ? order : {};
  const { order_id, client_order_id, timestamp, side } = record;
  const [kind, number] = 'order_id' in record ? ['', order_id] : ['id ', record['id']];
  return {
    number: typeof number === 'number' || typeof number === 'string' ? `${kind}${number}` : undefined,
    order_id,
    client_order_id: typeof client_order_id === 'string' ? client_order_id : '',
    time: typeof timestamp === 'number' ? placedAt({ timestamp }) : Number.NaN,
    side,
  };
}

export function isIdentifiedBy({ client_order_id }: OrderKey, order: unknown): boolean {
  return shownIn(order).client_order_id === client_order_id;
}

/** Whether both times are known, and differ too much to belong to one order. */
function isOtherTime({ time: one }: ReportedOrder, { time: other }: ShownOrder): boolean {
  const isToTheSecond = one % 1000 === 0 || other % 1000 === 0;
  return Math.abs(one - other) > (isToTheSecond ? sameSecondMs : sameTimeMs);
}
