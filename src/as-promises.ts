// Every endpoint as an async function, for programs without RxJS.
import { lastValueFrom, toArray, type Observable } from 'rxjs';
import type { CallOptions, FindOptions, Member } from './client/index.js';
import type {
  BulkOrderEndpoint,
  BulkOrderResult,
  CallArguments,
  Endpoint,
  OrderSearch,
  PagedList,
} from './endpoint/index.js';
import type { groups } from './endpoints/index.js';
import { bindGroups, type Exchange, type GroupName } from './exchange.js';
import { isRecord } from './model/map.js';

type Async<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends BulkOrderEndpoint<infer Params, infer Output>
    ? (...args: CallArguments<Params, CallOptions>) => Promise<readonly BulkOrderResult<Output>[]>
    : Group[Name] extends Endpoint<infer Params, infer Output>
      ? (...args: CallArguments<Params, CallOptions>) => Promise<Output>
      : Group[Name] extends PagedList<infer Params, infer Item>
        ? (...args: CallArguments<Params, CallOptions>) => Promise<Item[]>
        : Group[Name] extends OrderSearch<infer Params, infer Output>
          ? (params: Params, options?: FindOptions) => Promise<Output>
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

/** The methods of `exchange.convert` as async functions. */
export interface AsyncConvertEndpoints extends Async<typeof groups.convert> {}

/** The methods of `exchange.lending` as async functions. */
export interface AsyncLendingEndpoints extends Async<typeof groups.lending> {}

/** The methods of `exchange.apiKeys` as async functions. */
export interface AsyncApiKeysEndpoints extends Async<typeof groups.apiKeys> {}

/** The methods of `exchange.compliance` as async functions. */
export interface AsyncComplianceEndpoints extends Async<typeof groups.compliance> {}

/** The methods of `exchange.oauth` as async functions. */
export interface AsyncOauthEndpoints extends Async<typeof groups.oauth> {}

/** The endpoints of a client as async functions, made by {@link asPromises}: the groups of {@link Exchange}. */
export interface AsyncExchange {
  readonly public: AsyncPublicEndpoints;
  readonly spot: AsyncSpotEndpoints;
  readonly orders: AsyncOrdersEndpoints;
  readonly collateral: AsyncCollateralEndpoints;
  readonly account: AsyncAccountEndpoints;
  readonly subAccounts: AsyncSubAccountsEndpoints;
  readonly mining: AsyncMiningEndpoints;
  readonly convert: AsyncConvertEndpoints;
  readonly lending: AsyncLendingEndpoints;
  readonly apiKeys: AsyncApiKeysEndpoints;
  readonly compliance: AsyncComplianceEndpoints;
  readonly oauth: AsyncOauthEndpoints;
}

/**
 * The endpoints of a client as async functions. A call sends its request at once, with the same permits, retries and
 * lookups as `exchange`, and its promise is rejected with the same errors. One call of a function is one order: a loop
 * that calls it again after an error places another order, so decide by the error's `outcome`. The option `signal` aborts
 * a call. A list that is read page by page resolves to all of its items.
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
export function asPromises(exchange: Pick<Exchange, GroupName>): AsyncExchange;
export function asPromises(exchange: object) {
  return bindGroups((member) => {
    const call = methodOf(exchange, member);
    const isList = 'pagesOf' in member;
    // The call is made in this function: errors show a few frames only, of which the first of the program's counts.
    return async (...args: unknown[]) => {
      const output$ = call(...args);
      return lastValueFrom(isList ? output$.pipe(toArray()) : output$);
    };
  });
}

/** The method of a member, whose name is that of its group and its own. */
function methodOf(exchange: object, member: Member): (...args: unknown[]) => Observable<unknown>;
function methodOf(exchange: object, { name }: Member): unknown {
  return name.split('.').reduce<unknown>((owner, key) => (isRecord(owner) ? owner[key] : undefined), exchange);
}
