// Every endpoint as an async function, for programs without RxJS.
import { fromEvent, lastValueFrom, mergeMap, takeUntil, throwError, toArray, type Observable } from 'rxjs';
import type { CallEvent, CallOptions, FindOptions } from './client/index.js';
import {
  hasNoParameters,
  type BulkOrderEndpoint,
  type BulkOrderResult,
  type CallArguments,
  type Endpoint,
  type OrderSearch,
  type PagedList,
} from './endpoint/index.js';
import type { groups } from './endpoints/index.js';
import { bindGroups, type Exchange, type Member } from './exchange.js';
import { parse, TransportError, withMethods, type Outcome } from './errors/index.js';
import { isRecord } from './model/map.js';

/** Ends a call of {@link asPromises}. */
export interface Abortable {
  /**
   * Aborts the call: in the queue, or in flight. The promise is rejected with a {@link TransportError} whose cause is the
   * signal's reason. Its `outcome` is `unknown` when a request that changes something had been sent and no response
   * came; it has the `client_order_id` of the order, or the `client_order_ids` of several.
   */
  readonly signal?: AbortSignal;
}

/** Options of one call of {@link asPromises}. */
export interface AsyncCallOptions extends CallOptions, Abortable {}

/** Options of `orders.find` and `orders.findOco` of {@link asPromises}. */
export interface AsyncFindOptions extends FindOptions, Abortable {}

type Async<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends BulkOrderEndpoint<infer Params, infer Output>
    ? (...args: CallArguments<Params, AsyncCallOptions>) => Promise<readonly BulkOrderResult<Output>[]>
    : Group[Name] extends Endpoint<infer Params, infer Output>
      ? (...args: CallArguments<Params, AsyncCallOptions>) => Promise<Output>
      : Group[Name] extends PagedList<infer Params, infer Item>
        ? (...args: CallArguments<Params, AsyncCallOptions>) => Promise<Item[]>
        : Group[Name] extends OrderSearch<infer Params, infer Output>
          ? (params: Params, options?: AsyncFindOptions) => Promise<Output>
          : never;
};

/** The methods of `exchange.public` as async functions. */
export interface AsyncPublicEndpoints extends Async<typeof groups.public> {}

/** The methods of `exchange.spot` as async functions. */
export interface AsyncSpotEndpoints extends Async<typeof groups.spot> {}

/** The methods of `exchange.orders` as async functions. */
export interface AsyncOrdersEndpoints extends Async<typeof groups.orders> {}

/** The methods of `exchange.collateral` as async functions. */
export interface AsyncCollateralEndpoints extends Async<typeof groups.collateral> {}

/** The methods of `exchange.account` as async functions. */
export interface AsyncAccountEndpoints extends Async<typeof groups.account> {}

/** The methods of `exchange.subAccounts` as async functions. */
export interface AsyncSubAccountsEndpoints extends Async<typeof groups.subAccounts> {}

/** The methods of `exchange.mining` as async functions. */
export interface AsyncMiningEndpoints extends Async<typeof groups.mining> {}

/** The methods of `exchange.oauth` as async functions. */
export interface AsyncOauthEndpoints extends Async<typeof groups.oauth> {}

/** The endpoints of a client as async functions, made by {@link asPromises}: the groups of {@link Exchange}. */
export interface AsyncExchange {
  /** Market data. Needs no credentials. */
  readonly public: AsyncPublicEndpoints;
  /** Spot trading. */
  readonly spot: AsyncSpotEndpoints;
  /** Orders, spot and collateral, wherever they were placed: lists, lookup, cancels, kill switch. */
  readonly orders: AsyncOrdersEndpoints;
  /** Collateral trading: margin and futures. */
  readonly collateral: AsyncCollateralEndpoints;
  /** The main account. */
  readonly account: AsyncAccountEndpoints;
  /** The sub-accounts of the main account. */
  readonly subAccounts: AsyncSubAccountsEndpoints;
  /** The mining pool. */
  readonly mining: AsyncMiningEndpoints;
  /** OAuth 2.0, for applications that act for their users. Needs no credentials of an account. */
  readonly oauth: AsyncOauthEndpoints;
}

/**
 * The endpoints of a client as async functions. A call sends its request at once, with the same permits, retries and
 * lookups as `exchange`, and its promise is rejected with the same errors. One call of a function is one order: a loop
 * that calls it again after an error places another order, so decide by the error's `outcome`. A list that is read page
 * by page resolves to all of its items.
 *
 * @example
 * ```ts
 * import { asPromises, createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = asPromises(createExchange(createSandbox().clientOptions()));
 * const order = await exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' });
 * const open = await exchange.orders.open({ market: 'BTC_USDT' }, { signal: AbortSignal.timeout(5000) });
 * console.log(order.deal_money, open.length);
 * ```
 */
export function asPromises(exchange: Pick<Exchange, keyof AsyncExchange>): AsyncExchange;
export function asPromises(exchange: object) {
  return bindGroups((member) => {
    const call = methodOf(exchange, member);
    const isList = 'pagesOf' in member;
    const isEndpoint = 'rateLimits' in member;
    const hasParameters = !isEndpoint || !hasNoParameters(member);
    const changes = isEndpoint && member.safety !== 'read';
    // The call is made in this function: errors show a few frames only, of which the first of the program's counts.
    return async (...args: unknown[]) => {
      const { signal, ...given }: AsyncCallOptions = args[hasParameters ? 1 : 0] ?? {};
      const abort = signal === undefined ? undefined : abortOf(member.name, signal, changes);
      const options = abort === undefined ? given : abort.watching(given);
      const output$ = hasParameters ? call(args[0], options) : call(options, ...args.slice(1));
      const result$ = isList ? output$.pipe(toArray()) : output$;
      return lastValueFrom(abort === undefined ? result$ : result$.pipe(takeUntil(abort.errorOf(output$))));
    };
  });
}

/** The method of a member, whose name is that of its group and its own. */
function methodOf(exchange: object, member: Member): (...args: unknown[]) => Observable<unknown>;
function methodOf(exchange: object, { name }: Member): unknown {
  return name.split('.').reduce<unknown>((owner, key) => (isRecord(owner) ? owner[key] : undefined), exchange);
}

const aSignal = withMethods<AbortSignal>('an AbortSignal', 'addEventListener', 'removeEventListener');

/** The observable of a call, which may be that of an order or of several. */
interface MaybeOrders extends Partial<Pick<Observable<unknown>, 'source'>> {
  readonly client_order_id?: string;
  readonly client_order_ids?: readonly string[];
}

/** What the signal of a call does to it. Throws when it has aborted already. */
function abortOf(endpoint: string, signal: AbortSignal, changes: boolean) {
  const { aborted } = parse(endpoint, aSignal, signal, 'signal');
  const failure = (outcome: Outcome) =>
    new TransportError('aborted by its signal', { endpoint, outcome, cause: signal.reason });
  if (aborted) throw failure(changes ? 'not-executed' : 'none');
  // After the request of a change was sent, only a response shows whether it was executed.
  let isInDoubt = false;
  let isInFlight = false;
  const note = (event: CallEvent) => {
    if (event.type === 'request') isInFlight = true;
    if (event.type === 'response') {
      isInFlight = false;
      isInDoubt ||= event.outcome === 'unknown' || event.result === 'canceled';
    }
  };
  return {
    /** The options of the call, whose events show whether it is in doubt. */
    watching: (options: CallOptions): CallOptions =>
      changes
        ? {
            ...options,
            onEvent: (event) => {
              note(event);
              options.onEvent?.(event);
            },
          }
        : options,
    /** Fails when the signal aborts. */
    errorOf: ({ client_order_id, client_order_ids }: MaybeOrders): Observable<never> =>
      fromEvent(signal, 'abort').pipe(
        mergeMap(() => {
          const outcome = isInDoubt || isInFlight ? 'unknown' : 'not-executed';
          const error = failure(changes ? outcome : 'none').with({ client_order_id });
          return throwError(() =>
            client_order_ids === undefined ? error : Object.assign(error, { client_order_ids }),
          );
        }),
      ),
  };
}
