// What a client knows of the orders it placed: whose identifier is in use, which orders are in doubt, which of the
// exchange's orders was reported for which identifier, and whether the exchange takes identifiers.
import { asapScheduler, auditTime, concat, defer, map, of, Subject, type Observable } from 'rxjs';
import type { OrderKey } from '../endpoints/define-endpoint.js';
import { placedAt } from '../model/order.js';

/** An order that may have been placed, and whose outcome is not known yet. */
export interface UndecidedOrder {
  /** The identifier that it is looked up by. */
  readonly client_order_id: string;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** Name of the endpoint that it was sent to. */
  readonly endpoint: string;
  /** When it was sent, Unix milliseconds by the client's clock. */
  readonly since: number;
}

/** One order observable: the object is its identity. */
export interface OrderClaim extends OrderKey {
  readonly endpoint: string;
  /** Set when `orders.find` found it: the order is its own, though the identifier is in use. */
  isFound?: boolean;
}

/** What an order has of its identifier. */
interface Owner {
  readonly claim: OrderClaim;
  /** Whether anyone is subscribed to it: the order may be sent yet. */
  isActive: boolean;
}

/** One of the exchange's orders, which was reported. */
interface ReportedOrder {
  /** The identifier that it was reported for. */
  readonly client_order_id: string;
  /** When it was placed, Unix ms; `NaN` where that is not known. */
  readonly placedAt: number;
}

/**
 * Times of one order differ by less: a list may show it to the second, cut or rounded, where the response shows
 * microseconds.
 */
const sameTimeMs = 1;
const sameSecondMs = 1000;

/**
 * How many identifiers of placed orders are kept, the newest: some 100 MB at most. An identifier that an older order of
 * this client had is accepted again, as it is by the exchange.
 */
const maxPlaced = 1_000_000;

/**
 * How many of the exchange's orders are kept, the newest, with the identifier that each was reported for: some 30 MB at
 * most.
 */
const maxReported = 100_000;

export class OrderRegistry {
  /** By {@link numberOf}. */
  readonly #reported = new Map<string, ReportedOrder>();
  /** Who may place an order of an identifier: one that is in flight or in doubt. */
  readonly #owners = new Map<string, Owner>();
  readonly #placed = new Set<string>();
  readonly #undecided = new Map<string, UndecidedOrder>();
  readonly #changed = new Subject<void>();
  readonly evidence = new IdentifierEvidence();

  /** The orders in doubt; emits at subscription, and after the changes of a turn. */
  readonly undecided$: Observable<readonly UndecidedOrder[]> = defer(() =>
    concat(of(undefined), this.#changed.pipe(auditTime(0, asapScheduler))),
  ).pipe(map(() => [...this.#undecided.values()]));

  /**
   * Takes the identifier for an order that is subscribed to; false when another order of this client has it, or had it
   * and was placed.
   */
  claim(order: OrderClaim): boolean {
    const name = nameOf(order);
    if (order.isFound === true) return true;
    const owner = this.#owners.get(name);
    if (owner === undefined ? this.#placed.has(name) : owner.claim !== order) return false;
    this.#owners.set(name, { claim: order, isActive: true });
    return true;
  }

  /** Nobody is subscribed to the order any more, and its outcome is not known. */
  leave(order: OrderClaim): void {
    const owner = this.#owners.get(nameOf(order));
    if (owner?.claim === order) owner.isActive = false;
  }

  /**
   * Whether a request of this identifier may be sent yet, because anyone is subscribed to its order; or was sent after
   * this time (Unix ms by the client's clock) and is in doubt.
   */
  isInFlight(key: OrderKey, since: number): boolean {
    const name = nameOf(key);
    const doubted = this.#undecided.get(name);
    return this.#owners.get(name)?.isActive === true || (doubted !== undefined && doubted.since > since);
  }

  /** The order of this identifier that this client sent and has in doubt, if it has. */
  claimOf(key: OrderKey): OrderClaim | undefined {
    return this.#owners.get(nameOf(key))?.claim;
  }

  /** The outcome of the order is not known. */
  doubt(order: OrderClaim, since: number): void {
    const { client_order_id, market, endpoint } = order;
    const name = nameOf(order);
    if (this.#undecided.has(name) || this.#placed.has(name)) return;
    this.#undecided.set(name, { client_order_id, market, endpoint, since });
    this.#changed.next();
  }

  /** The outcome of the order is known. */
  decide(key: OrderKey): void {
    if (this.#undecided.delete(nameOf(key))) this.#changed.next();
  }

  /**
   * Whether an order of the exchange's may be the one of this identifier: an order is reported for one identifier only,
   * so one that was reported for another came with a response to another request. One of the same number that was
   * placed at another time is another order: an exchange that was set up again, such as a sandbox, counts from the
   * start.
   */
  canBe(key: OrderKey, order: unknown): boolean {
    const reported = this.#reported.get(numberOf(key, order) ?? '');
    return (
      reported === undefined ||
      reported.client_order_id === key.client_order_id ||
      isOtherTime(reported.placedAt, timeOf(order))
    );
  }

  /**
   * The order is placed: the identifier is its own for good. One that `orders.find` found may be found by the
   * observable that placed it, too.
   *
   * @param order as the exchange responded it
   */
  place(key: OrderKey, order?: unknown): void {
    const name = nameOf(key);
    this.#placed.add(name);
    deleteOldest(this.#placed, maxPlaced);
    const number = numberOf(key, order);
    if (number !== undefined) {
      this.#reported.delete(number);
      this.#reported.set(number, { client_order_id: key.client_order_id, placedAt: timeOf(order) });
    }
    deleteOldest(this.#reported, maxReported);
    const owner = this.#owners.get(name);
    if (owner !== undefined && owner.claim !== key) owner.claim.isFound = true;
    this.#owners.delete(name);
    this.decide(key);
  }

  /** The order does not exist, and no request in flight can create it: the identifier is free. */
  free(key: OrderKey): void {
    this.#owners.delete(nameOf(key));
    this.decide(key);
  }
}

/**
 * Whether not finding an order by its identifier can prove anything: only where the exchange has been seen to take
 * identifiers, and never to drop one.
 */
export class IdentifierEvidence {
  readonly #shown = new Set<string>();
  readonly #dropped = new Set<string>();

  /** An order of this endpoint did or did not bear the identifier that was sent. */
  add(endpoint: string, isIdentified: boolean): void {
    (isIdentified ? this.#shown : this.#dropped).add(endpoint);
  }

  /** Why not finding an order of this endpoint is no proof; `undefined` where it is. */
  whyNoProof(endpoint: string | undefined): string | undefined {
    if (endpoint === undefined)
      return 'the option endpoint is missing, and the endpoint of the order may drop client_order_id';
    if (this.#dropped.has(endpoint)) return `the exchange dropped the client_order_id of an order of ${endpoint}`;
    return this.#shown.has(endpoint)
      ? undefined
      : `no order of ${endpoint} has shown yet that the exchange keeps client_order_id`;
  }
}

/** Names the exchange's order within a client; `undefined` where its endpoint does not say the number. */
function numberOf({ market }: OrderKey, order: unknown): string | undefined {
  if (typeof order !== 'object' || order === null || !('order_id' in order)) return undefined;
  const { order_id } = order;
  return typeof order_id === 'number' || typeof order_id === 'string' ? `${market} ${order_id}` : undefined;
}

/** When an order was placed, Unix ms; `NaN` where it does not say. */
function timeOf(order: unknown): number {
  if (typeof order !== 'object' || order === null || !('timestamp' in order)) return Number.NaN;
  const { timestamp } = order;
  return typeof timestamp === 'number' ? placedAt({ timestamp }) : Number.NaN;
}

/** Whether two times are known, and of two orders. */
function isOtherTime(one: number, other: number): boolean {
  const isToTheSecond = [one, other].some((time) => time % 1000 === 0);
  return Math.abs(one - other) > (isToTheSecond ? sameSecondMs : sameTimeMs);
}

/** Leaves the newest entries. */
function deleteOldest(entries: Pick<Map<string, unknown>, 'size' | 'keys' | 'delete'>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) break;
    entries.delete(oldest);
  }
}

function nameOf({ market, client_order_id }: OrderKey): string {
  return `${market} ${client_order_id}`;
}
