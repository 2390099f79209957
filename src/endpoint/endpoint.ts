// What an endpoint is: data. How it is called (limits, signing, retries, errors) is the client's business, and the
// same for all.
import type * as v from 'valibot';
import type { ApiErrorReason } from '../errors/index.js';
import type { ConditionalOrderPage } from '../model/conditional-order.js';
import type { OcoOrder } from '../model/oco-order.js';
import type { HistoricalOrder, Order } from '../model/order.js';
import type { OrderToCheck } from '../model/order-to-check.js';
import type { ClosedPosition } from '../model/position.js';
import type { WireNames } from '../model/wire-names.js';

/**
 * When an attempt that failed may be repeated:
 * - `read`: always; it changes nothing.
 * - `idempotent`: whenever its outcome is unknown; doing it twice is doing it once, as long as nothing else was set in
 *   between: see {@link EndpointDefinition.key}.
 * - `order`: only when it is known not to have been executed. An observable of it places one order at most.
 * - `orders`: as `order`, for each of the orders that one request places: see {@link EndpointDefinition.item}.
 * - `once`: only when it is known not to have been executed. All subscriptions of an observable of it are one request:
 *   late subscribers get its result, or the outcome `unknown`. With a {@link EndpointDefinition.recordLookup}, a request
 *   whose response was lost is looked up, and never sent again.
 * - `keyed`: as `once`, and the exchange refuses a second request with the same key, such as `uniqueId`. A program may
 *   call it again with the same parameters.
 */
export type Safety = 'read' | 'idempotent' | 'order' | 'orders' | 'keyed' | 'once';

/**
 * How the exchange identifies the caller:
 * - `none`: it does not; the parameters go in the query string.
 * - `signed`: by key and signature; the parameters go in a JSON body with `request` and `nonce`.
 * - `form`: by parameters of a form body, `application/x-www-form-urlencoded`.
 * - `bearer`: by an OAuth access token, the parameter `access_token`. It is sent in the header `Authorization` only. The
 *   other parameters go in a JSON body, or in the query string for GET and DELETE.
 */
export type Authentication = 'none' | 'signed' | 'form' | 'bearer';

/** The fields of a request as they go on the wire. */
export type WireFields = Readonly<Record<string, unknown>>;

/** The schema of a request: from the caller's parameters to the wire's fields. */
export type RequestSchema = v.GenericSchema<object, WireFields>;

/** A case in which the exchange refuses: the error response has each of these that is given. */
export interface ErrorCode {
  /** The exchange's code; any, or none, when left out. */
  readonly code?: number;
  /** The HTTP status; any when left out. */
  readonly status?: number;
  /** The parameter that it complains about; any when left out. */
  readonly field?: string;
  /** The `reason` of the {@link ApiError} that callers get. */
  readonly reason: ApiErrorReason;
}

/** What a call of a list gets that is read page by page, when it has no `limit`. */
export interface PageDefinition {
  /** Maximum number of items. */
  readonly defaultLimit: number;
  /** Name of the method that lists all of them, such as `subAccounts.listAll`. */
  readonly listAll?: string;
}

/** The definition that {@link defineEndpoint} takes. */
export interface EndpointDefinition<Request extends RequestSchema, Response extends v.GenericSchema> {
  /** Name in errors and events, such as `mainBalance`. */
  readonly name: string;
  /** HTTP method. Default: `POST`. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /**
   * Path below the base address, such as `/api/v4/main-account/balance`. A parameter in braces, as in
   * `/api/v4/public/orderbook/{market}`, is sent in the path only; the path that is signed holds its value.
   */
  readonly path: `/${string}`;
  /**
   * The rate limit that requests count against: the endpoint's own, which has the endpoint's name, or a
   * {@link RateLimit} with a name, which all endpoints that give it share. Or several, of which at most one has no name:
   * a request gets a permit of each, all or none. Events name the first one. Default: the endpoint's own, 10000 / 10 s,
   * as the exchange publishes for most endpoints. Required where `authentication` is not `signed`.
   */
  readonly rateLimit?: LimitWindow | RateLimit | readonly [LimitWindow | RateLimit, ...(LimitWindow | RateLimit)[]];
  /**
   * How the request is authenticated; this also decides where the parameters are sent. Default: `signed` for POST, else
   * `none`.
   */
  readonly authentication?: Authentication;
  /** When a failed call may be retried. */
  readonly safety: Safety;
  /** Priority of a call without the option `priority`. Default `normal`. */
  readonly priority?: Priority;
  /**
   * For endpoints of safety `idempotent`: names what a request sets, such as a market. A retry is dropped when a later
   * call of the endpoint has the same key. Default: all calls of the endpoint have the same key.
   */
  key?(fields: v.InferOutput<Request>): string;
  /** valibot schema of the parameters. Strict objects reject misspelled names. Default: no parameters. */
  readonly request?: Request;
  /** valibot schema of the response. Loose objects keep fields that the exchange adds. */
  readonly response: Response;
  /**
   * Whether the exchange wraps the response in `{ success, message, result }`: the schema reads `result`. A response
   * that is not wrapped is read as it is. Default false.
   */
  readonly envelope?: boolean;
  /**
   * A second name of fields of the request, by their name in the schema: `{ unique_id: 'uniqueId' }`. Requests have both
   * names, in the objects and lists inside them, too.
   */
  readonly wireNames?: WireNames;
  /**
   * Maximum number of names and values in a response, 1 or more: an item of a list counts as one, a field of an object
   * as two. A larger response ends in {@link ResponseError}. A response of 80000 blocks the event loop for less than
   * 200 ms. Default: 80000.
   */
  readonly maxResponseParts?: number;
  /**
   * What the exchange's codes mean on this endpoint; the first match counts. Without a match, code 30 is
   * `validation` and code 31 is `market`.
   */
  readonly errorCodes?: readonly ErrorCode[];
  /** For lists that are read page by page: a call without `limit` that gets a full page warns of it. */
  readonly page?: PageDefinition;
  /**
   * True when parameters and responses contain secrets: neither is ever part of an error. Its errors have no cause and
   * no raw body, name parameters of the schema only, and quote no message of the exchange. Default false.
   */
  readonly confidential?: boolean;
  /**
   * Whether a response belongs to a request with these fields. One that does not ends in {@link ResponseError}: the
   * server, or a proxy, has mixed up responses. Default: every response that fits the schema belongs to the request.
   */
  matchesRequest?(fields: WireFields, output: v.InferOutput<Response>): boolean;
  /** The time of the exchange's clock in the response, Unix seconds. */
  exchangeTime?(output: v.InferOutput<Response>): number;
  /** The order, or its modification, as `checkOrders` checks it against the market's rules. Default: it is not checked. */
  toCheck?(fields: v.InferOutput<Request>): OrderToCheck;
  /**
   * For endpoints of safety `idempotent`: finds the result of a request that was executed although its response was
   * lost, when the exchange rejects the next request because of it. A canceled order, for one, cannot be canceled again.
   */
  readonly resultLookup?: ResultLookup<v.InferOutput<Response>>;
  /**
   * For requests that replace an open order by another, such as a modification: the order that is replaced. A response
   * with an earlier order, with one that is known for another identifier, or of another side, ends in {@link ResponseError}.
   */
  replaces?(fields: v.InferOutput<Request>): ReplacedOrder;
  /** Parameters that are not sent, by name: {@link EndpointDefinition.resultLookup} reads them. */
  readonly localParameters?: readonly string[];
  /**
   * For endpoints of safety `orders`: the endpoint that places one such order. The request has a list of orders, named
   * `orders`; the response has an entry for each, in their order: `{ result }` with the order, or `{ error }`.
   */
  readonly item?: Endpoint;
  /**
   * For endpoints of safety `keyed` and `once`: the list that shows what a request did, by which it is looked up when its
   * response was lost. Without it, the outcome stays `unknown`.
   */
  readonly recordLookup?: RecordLookup<v.InferOutput<Response>>;
  /** For endpoints with a {@link EndpointDefinition.recordLookup}: lists by which a request is checked before it is sent. */
  readonly check?: RequestCheck;
  /**
   * Whether a request moves money out of the account, or redirects income: it needs the client's `allowWithdrawals`.
   * Default false.
   */
  readonly movesMoneyOut?: boolean;
  /** For order endpoints: finds an order whose response was lost. Without it, the outcome stays `unknown`. */
  readonly lookup?: OrderLookup<v.InferOutput<Response>>;
}

/** The order that a request replaces by another. */
export interface ReplacedOrder {
  readonly market: string;
  readonly order_id: number;
  readonly client_order_id?: string | undefined;
}

/** The lists that show an order: while it waits for another, while it is open, and after it ended. */
export interface OrderLists {
  readonly conditional: Endpoint<PageOfMarket, ConditionalOrderPage>;
  readonly open: Endpoint<NamedOrder, Order[]>;
  readonly history: Endpoint<NamedOrder, Readonly<Record<string, HistoricalOrder[]>>>;
}

/** The lists that show an OCO order: the OCO orders while both of its orders are open, the others one order of it. */
export interface OcoLists extends OrderLists {
  readonly oco: Endpoint<PageOfMarket, OcoOrder[]>;
}

interface NamedOrder {
  readonly market: string;
  readonly order_id?: number;
  readonly client_order_id?: string;
}

interface PageOfMarket {
  readonly market: string;
  readonly limit: number;
  readonly offset: number;
}

/**
 * How the result of an executed request is found whose response was lost: what it is, and the lists that show it.
 * - `ended order`: the order that the request names, in the history.
 * - `ended OCO order`: both orders of the OCO order that the request names by `client_order_id`, in the history.
 * - `modified order`: the later order with the requested values, among the open orders and in the history.
 * - `closed position`: the position that the request names by `positionId`.
 * - `nothing`: no list shows it.
 */
export type ResultLookup<Output> = {
  /** The reasons of the rejections that a request gets after an executed one. */
  readonly after: readonly ApiErrorReason[];
} & (
  | (Pick<OrderLists, 'history'> & { readonly finds: 'ended order'; outputOf(order: Order): Output })
  | (Pick<OrderLists, 'history'> & { readonly finds: 'ended OCO order'; outputOf(oco: OcoOrder): Output })
  | (Pick<OrderLists, 'open' | 'history'> & { readonly finds: 'modified order'; outputOf(order: Order): Output })
  | {
      readonly finds: 'closed position';
      readonly closedPositions: Endpoint<{ readonly limit: number }, ClosedPosition[]>;
      outputOf(position: ClosedPosition): Output;
    }
  | { readonly finds: 'nothing' }
);

/** Whether a record is of a request. The outcome of a request is `unknown` while only records that perhaps are its own are listed. */
export type Match = boolean | 'perhaps';

/**
 * How a request is looked up whose response was lost: by the records of a list. {@link recordLookup} makes one with the
 * types of its list.
 */
export interface RecordLookup<Output, Page = unknown, Item = unknown> {
  /** What is compared, for errors: `uniqueId, ticker and amount with account.transactionHistory`. */
  readonly compares: string;
  /** Lists the records, the newest first, by `limit` and `offset`. */
  readonly list: Endpoint<never, Page>;
  /** The parameters of the list, without `limit` and `offset`. Default: none. */
  paramsOf?(fields: WireFields): object;
  /**
   * Parameters that narrow the list down. The exchange may read a filter wrongly: what the narrow list does not show is
   * looked up in the newest records without it. Default: none.
   */
  filterOf?(fields: WireFields): object;
  /** The records of a page. */
  itemsOf(page: Page): readonly Item[];
  /** Whether a record is one that the request makes; `part` is its number, from 0, where a request makes several. */
  matches(item: Item, fields: WireFields, part: number): Match;
  /** How many records a request makes, all of which are needed to find it. Default 1. */
  partsOf?(fields: WireFields): number;
  /**
   * Names the records that a request without a key makes: two requests with a name in common could be taken for one another.
   * Default: one name, for all values of the request.
   */
  namesOf?(fields: WireFields): readonly string[];
  /** When a record was made, Unix seconds. Records from before the request are of another one. */
  madeAt?(item: Item): number | undefined;
  /**
   * Identifies a record. Required where the request has no key: only a record that was not listed before the request can
   * be its own, so the list is read before the request is sent.
   */
  idOf?(item: Item): unknown;
  /** The output of the request whose record this is, the first of several. */
  outputOf(item: Item): Output;
  /** Why not finding a record proves nothing, where it does not: then the outcome is `unknown`. */
  readonly provesNothing?: string;
  /** The reasons of the refusals that an earlier execution may have caused. Default: `duplicate`. */
  readonly after?: readonly ApiErrorReason[];
}

/** Two lists that are read before a request, and what they say is wrong with it. {@link checkedBy} makes one with their types. */
export interface RequestCheck {
  readonly lists: readonly [Endpoint<object>, Endpoint<object>];
  /** The parameters that break a rule; none for a request that may be sent. */
  issuesOf(
    fields: WireFields,
    one: unknown,
    other: unknown,
  ): readonly { readonly field: string; readonly message: string }[];
}

/**
 * How the orders of an order endpoint are found by `client_order_id`: the lists that show them. Where `outputOf` returns
 * `undefined` for an order that was found, its outcome stays unknown.
 */
export type OrderLookup<Output> = {
  /**
   * Whether an order may have a stop loss or a take profit. The exchange may list such an order among the conditional
   * orders only, so the lookup reads these, too; without them, it cannot prove absence. Default: true.
   */
  readonly isConditional?: boolean;
} & (
  | { readonly finds: 'order'; readonly lists: OrderLists; outputOf(order: Order): Output | undefined }
  | { readonly finds: 'OCO order'; readonly lists: OcoLists; outputOf(oco: OcoOrder): Output | undefined }
);

/** Identifies an order for a lookup. */
export interface OrderKey {
  readonly market: string;
  readonly client_order_id: string;
  /**
   * Name of the endpoint that it was sent to, if known. Without it, a lookup that finds nothing does not prove that the
   * order does not exist.
   */
  readonly endpoint?: string;
  /** Its side, if known: an order of the other side with the same identifier is another order. */
  readonly side?: string;
}

/** How many requests the exchange accepts in any window of this length. */
export interface LimitWindow {
  /** Requests, 1 or more. */
  readonly limit: number;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
}

/** A rate limit of the exchange: per IP address, so every process behind one address shares it. */
export interface RateLimit extends LimitWindow {
  /**
   * Unique name, by which requests are counted and `limits` of the options overrides. Two rate limits of one name must
   * be equal: a request that brings a different one fails with {@link RequestError}.
   */
  readonly name: string;
}

/**
 * Which requests that wait for the same rate limit go first:
 * - `urgent`: before all others. A part of each limit and of the requests in flight is reserved for them. For cancels.
 * - `normal`: the default, in the order of arrival.
 */
export type Priority = 'urgent' | 'normal';

declare const types: unique symbol;

/** An endpoint. Its type has its parameters and its output. */
export interface Endpoint<Params extends object = never, Output = unknown> extends Omit<
  EndpointDefinition<RequestSchema, v.GenericSchema<unknown, Output>>,
  'method' | 'rateLimit' | 'authentication' | 'confidential' | 'request'
> {
  readonly request: RequestSchema;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The rate limits that requests count against. Events name the first one. */
  readonly rateLimits: readonly [RateLimit, ...RateLimit[]];
  readonly authentication: Authentication;
  /** Whether parameters and responses contain secrets: also of every endpoint of forms and of access tokens. */
  readonly confidential: boolean;
  /** Exists in the type only. */
  readonly [types]?: (params: Params) => Output;
}

/** An endpoint that places orders: a call of it is one order, and its observable shows the order's identifier. */
export interface OrderEndpoint<Params extends object = never, Output = unknown> extends Endpoint<Params, Output> {
  readonly safety: 'order';
}

/** The entry of one order in the response to a request of several: the order, or the error that rejected it. */
export interface BulkEntry<Output = unknown> {
  readonly result?: Output | undefined;
  readonly error?: unknown;
}

/** An endpoint that places several orders by one request. */
export interface BulkOrderEndpoint<Params extends object = never, Output = unknown> extends Endpoint<
  Params,
  readonly BulkEntry<Output>[]
> {
  readonly safety: 'orders';
  readonly item: OrderEndpoint<never, Output>;
}
