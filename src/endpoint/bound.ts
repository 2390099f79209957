// What a call of an endpoint returns, and a group of endpoints as functions of a client.
import type { Observable } from 'rxjs';
import type { AnyExchangeError, Outcome } from '../errors/index.js';
import type { CallArguments } from './define-endpoint.js';
import type { BulkOrderEndpoint, Endpoint, OrderEndpoint, OrderLookup, RequestSchema, WireFields } from './endpoint.js';

/** An observable of one order: it places at most one order, whatever is piped around it. */
export interface OrderObservable<Output> extends Observable<Output> {
  /**
   * The identifier of the order: the caller's, or a generated one. Write it down before subscribing, to find the order
   * after a restart.
   */
  readonly client_order_id: string;
  /** The market of the order. */
  readonly market: string;
  /** Name of the endpoint that places the order. */
  readonly endpoint: string;
}

/** The result of one order of several: it was placed, or it failed with a known or an unknown outcome. */
export type BulkOrderResult<Output> =
  | {
      /** The identifier of the order: the caller's, or a generated one. */
      readonly client_order_id: string;
      readonly outcome: 'placed';
      /** The order as the exchange placed it. */
      readonly order: Output;
    }
  | {
      /** The identifier of the order: the caller's, or a generated one. */
      readonly client_order_id: string;
      /** As the outcome of an error: only `unknown` leaves it open whether the order was placed. */
      readonly outcome: Exclude<Outcome, 'none'>;
      /** Why the order was not placed, or why its outcome is unknown. */
      readonly error: AnyExchangeError;
    };

/** An observable of several orders: it places each at most once, whatever is piped around it. */
export interface BulkOrderObservable<Output> extends Observable<readonly BulkOrderResult<Output>[]> {
  /**
   * The identifiers of the orders, in their order. Write them down before subscribing, to find the orders after a
   * restart.
   */
  readonly client_order_ids: readonly string[];
}

declare const types: unique symbol;

/** A list that is read page by page: its calls emit the items of all pages one by one. */
export interface PagedList<Params extends object = never, Item = unknown, Page = unknown> {
  /** Name in errors, such as `subAccounts.listAll`. The errors of a page have the name of its endpoint. */
  readonly name: string;
  /** The endpoint that lists a page, by `limit` and `offset`. */
  readonly pagesOf: Endpoint<never, Page>;
  /** valibot schema of the parameters. `maxItems` bounds the items; the others are those of a page. */
  readonly request: RequestSchema;
  /** The items of a page, in the order of the list. */
  itemsOf(page: Page): readonly Item[];
  /** Identifies an item: an item that moves to the next page between two requests is emitted once. */
  keyOf(item: Item): unknown;
  /** Whether items leave the list while it is read, so that the items after them move to a page before. */
  readonly canShrink?: boolean;
  /** The parameters of the lists that make this list, newest first; `now` in Unix seconds. Default: one list. */
  listsOf?(fields: WireFields, now: number): readonly WireFields[];
  /** Exists in the type only. */
  readonly [types]?: (params: Params) => Item;
}

/** A lookup of orders as a member of a group. Its type has its parameters. */
export type OrderSearch<Params extends object = never, Output = unknown> = OrderLookup<Output> & {
  /** Name in errors and events, such as `orders.find`. */
  readonly name: string;
  /** valibot schema of the parameters. */
  readonly request: RequestSchema;
  /** Name of the endpoint that all of its orders were sent to. Default: that of the key. */
  readonly sentTo?: string;
  /** For orders that were sent to these endpoints, by the endpoint's name: how they are found instead. */
  readonly byEndpoint?: Readonly<Record<string, OrderLookup<Output>>>;
  /** Exists in the type only. */
  readonly [types]?: (params: Params) => Output;
};

/**
 * The members of a group as functions of one client: parameters and options in, an observable of the output out. A
 * member is an endpoint, a lookup of orders, or a list that is read page by page.
 */
export type Bound<Group, Options, FindOptions = Options> = {
  readonly [Name in keyof Group]: Group[Name] extends OrderEndpoint<infer Params, infer Output>
    ? (...args: CallArguments<Params, Options>) => OrderObservable<Output>
    : Group[Name] extends BulkOrderEndpoint<infer Params, infer Output>
      ? (...args: CallArguments<Params, Options>) => BulkOrderObservable<Output>
      : Group[Name] extends Endpoint<infer Params, infer Output>
        ? (...args: CallArguments<Params, Options>) => Observable<Output>
        : Group[Name] extends PagedList<infer Params, infer Item>
          ? (...args: CallArguments<Params, Options>) => Observable<Item>
          : Group[Name] extends OrderSearch<infer Params, infer Output>
            ? (params: Params, options?: FindOptions) => Observable<Output>
            : never;
};
