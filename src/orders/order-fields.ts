// The fields of an order by which it is found again, its market and its client_order_id; and what has them.
import { randomUUID } from 'node:crypto';
import type { Observable } from 'rxjs';
import type { Note } from '../call/index.js';
import type { BulkOrderEndpoint, Endpoint, OrderKey, WireFields } from '../endpoint/index.js';
import { RequestError, type AnyExchangeError } from '../errors/index.js';
import { isRecord } from '../model/map.js';
import type { Order } from '../model/order.js';

export interface OrderFields extends WireFields, OrderKey {}

/** An order of unknown outcome: it may have been placed. */
export interface UndecidedOrder {
  /** The `client_order_id` that it is looked up by. */
  readonly client_order_id: string;
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** Name of the endpoint that it was sent to. */
  readonly endpoint: string;
  /** As requested, like `amount` and `price`. */
  readonly side?: string;
  /** In the unit of its endpoint: the base or the quote currency. */
  readonly amount?: string;
  /** The limit; none of a market order. */
  readonly price?: string;
  /** When it was sent, Unix milliseconds by the client's clock. */
  readonly since: number;
}

/** How far the lookup of an order has come; {@link OrderEvent} explains each. */
export type OrderProgress = 'looking-up' | 'found' | 'absent' | 'unknown' | 'unsubscribed' | 'not-identified';

/**
 * The response to an order was lost, or lacked the order's identifier:
 * - `looking-up`: the order is being looked up.
 * - `found`: the order was placed.
 * - `absent`: it is proven that the order was not placed.
 * - `unknown`: the outcome could not be determined; `reason` says why.
 * - `unsubscribed`: the last subscriber unsubscribed before the outcome was known.
 * - `not-identified`: the order was placed, but the exchange dropped its identifier: it cannot be looked up by it.
 */
export interface OrderEvent {
  /** Discriminates the events. */
  readonly type: 'order';
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** Number of the call that places or finds the order, the same in all events of that call. */
  readonly call: number;
  /** The identifier that the order is looked up by. */
  readonly client_order_id: string;
  /** How far the lookup has come: see above. */
  readonly progress: OrderProgress;
  /** Why the outcome is `unknown`. */
  readonly reason?: string;
}

export function progressOf(note: Note<unknown>): Pick<OrderEvent, 'progress' | 'reason'> | undefined {
  switch (note.do) {
    case 'doubt':
      return { progress: 'looking-up' };
    case 'place':
      return note.isFound ? { progress: 'found' } : undefined;
    case 'absent':
      return { progress: 'absent' };
    case 'leave':
      if (note.open === undefined) return undefined;
      return note.reason === undefined ? { progress: 'unsubscribed' } : { progress: 'unknown', reason: note.reason };
  }
}

/** Makes an identifier that no other order has: 32 characters, as the exchange advises. */
export function createClientOrderId(): string {
  return randomUUID().replaceAll('-', '');
}

/** One order observable: the object is its identity. */
export interface OrderClaim extends OrderKey {
  readonly endpoint: string;
  /** As it is sent. */
  readonly fields: WireFields;
  /** Set when `orders.find` found the order: its own observable may report it, although the identifier is in use. */
  isFound?: boolean;
  /** Whether the order may be listed among the conditional orders only. */
  readonly isConditional?: boolean;
  /** The live connection has pushed an order with the identifier. */
  onPushed(order: Order): void;
}

/** An order without an identifier could not be found again: it is given one. Throws for one without a market. */
export function orderFields(endpoint: string, fields: WireFields): { order: OrderFields; isGenerated: boolean } {
  const { market, client_order_id } = fields;
  if (typeof market !== 'string')
    throw new RequestError(endpoint, [
      { field: 'market', message: 'is required: an order is looked up by its market' },
    ]);
  const isGenerated = typeof client_order_id !== 'string';
  // A copy: it is remembered, and a part of a larger text, such as a line of a file, would keep that text in memory.
  const identity = { market, client_order_id: isGenerated ? createClientOrderId() : structuredClone(client_order_id) };
  // On Node 20, a spread with a further name gives each object a hidden class of its own: reading its fields is slow.
  return { order: Object.assign({}, fields, identity), isGenerated };
}

/** The observable of orders that cannot be sent; `failing` makes one that fails. */
export function refusedOrder(
  endpoint: Endpoint | BulkOrderEndpoint,
  params: Readonly<Record<string, unknown>>,
  error: AnyExchangeError,
  failing: (error: AnyExchangeError) => Observable<never>,
): Observable<never> {
  const orders = Array.isArray(params['orders']) ? params['orders'] : [];
  if (endpoint.safety === 'orders')
    return Object.assign(failing(error), { client_order_ids: orders.map(identifierOf) });
  const client_order_id = identifierOf(params);
  const market = typeof params['market'] === 'string' ? params['market'] : '';
  return Object.assign(failing(error.with({ client_order_id })), { client_order_id, endpoint: endpoint.name, market });
}

function identifierOf(params: unknown): string {
  const given = isRecord(params) ? params['client_order_id'] : undefined;
  return typeof given === 'string' ? given : createClientOrderId();
}
