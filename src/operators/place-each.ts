// Places one order for each intent, and says of each what became of it: a pipeline of orders that no order can end.
import {
  catchError,
  concat,
  defer,
  EMPTY,
  map,
  mergeMap,
  of,
  Subject,
  takeUntil,
  throwError,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import {
  aFunction,
  type AnyExchangeError,
  checkArgument,
  checkByRules,
  countOrInfinity,
  isExchangeError,
  type OptionRules,
} from '../errors/index.js';

/** Options of {@link placeEach}. */
export interface PlaceEachOptions {
  /** How many orders may be under way at once, 1 or more; the next intents wait in order. Default Infinity. */
  readonly concurrency?: number;
}

/** An intent whose order was placed. */
export interface PlacedIntent<Intent, Order> {
  /** What was to be placed. */
  readonly intent: Intent;
  /** Tells the results apart. */
  readonly outcome: 'placed';
  /** The order. */
  readonly order: Order;
}

/** An intent whose order failed. */
export interface FailedIntent<Intent> {
  /** What was to be placed. */
  readonly intent: Intent;
  /**
   * What became of the order:
   * - `not-executed`: there is none, and none will come of what was sent.
   * - `rejected`: the exchange refused it. There is none.
   * - `unknown`: there may be one. Resume it by `error.client_order_id`, and place nothing in its stead before it is
   *   known.
   */
  readonly outcome: 'not-executed' | 'rejected' | 'unknown';
  /** Why. */
  readonly error: AnyExchangeError;
}

/** What became of one intent: see `outcome`. */
export type IntentResult<Intent, Order> = PlacedIntent<Intent, Order> | FailedIntent<Intent>;

const rules: OptionRules<PlaceEachOptions> = { concurrency: countOrInfinity(1) };

/**
 * Makes one order of each intent and emits its outcome, as the orders end. An order that fails is a result, not the
 * end: nobody needs a `retry()` around the pipeline, which would forget the orders under way and place others in their
 * stead. To retry one order, put the `retry()` around it in `project`: an order observable stays one order.
 *
 * `project` returns the observable of one order and nothing else; put reads before the intents. An error that does not
 * say what became of an order is `unknown`.
 *
 * ```text
 * intents:           -a-----b-------c-|
 * order of each:      --(o|) ----#    -(o|)
 * placeEach(...):    ---A-------B----C|    A, C: placed, B: rejected
 * ```
 *
 * An error of the intents, or one that is not of this package, is a mistake of the program. It ends the stream after
 * the orders under way have ended, and intents that wait are dropped. Unsubscribing leaves the orders under way, as it
 * always does: to stop, put `takeUntil` before. Throws {@link RequestError} for bad options.
 *
 * @example
 * ```ts
 * import { placeEach, type Exchange } from 'exchange-rx';
 * import type { Observable } from 'rxjs';
 *
 * const trade = (exchange: Exchange, amounts$: Observable<string>) =>
 *   amounts$.pipe(placeEach((amount) => exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount })));
 *
 * const log = (exchange: Exchange, amounts$: Observable<string>) =>
 *   trade(exchange, amounts$).subscribe((result) => {
 *     if (result.outcome === 'placed') console.log(result.intent, 'bought for', result.order.deal_money);
 *     else console.log(result.intent, result.outcome, result.error.message);
 *   });
 * ```
 */
export function placeEach<Intent, Order>(
  project: (intent: Intent, index: number) => Observable<Order>,
  options: PlaceEachOptions = {},
): OperatorFunction<Intent, IntentResult<Intent, Order>> {
  checkArgument('placeEach', 'project', project, aFunction);
  checkByRules('placeEach', options, rules);
  const { concurrency = Number.POSITIVE_INFINITY } = options;
  return (intents$) =>
    defer(() => {
      const stop$ = new Subject<void>();
      let mistake: { readonly error: unknown } | undefined;
      // The orders under way are followed to their end: leaving them would put them in doubt.
      const endWith = (error: unknown): Observable<never> => {
        mistake ??= { error };
        stop$.next();
        return EMPTY;
      };
      const place = (intent: Intent, index: number): Observable<IntentResult<Intent, Order>> =>
        defer(() => (mistake === undefined ? project(intent, index) : EMPTY)).pipe(
          map((order) => ({ intent, outcome: 'placed', order }) as const),
          catchError((error: unknown) =>
            isExchangeError(error) ? of({ intent, outcome: outcomeOf(error), error }) : endWith(error),
          ),
        );
      return concat(
        intents$.pipe(catchError(endWith), takeUntil(stop$), mergeMap(place, concurrency)),
        defer(() => (mistake === undefined ? EMPTY : throwError(() => mistake?.error))),
      );
    });
}

/** In doubt where an error does not say that there is no order. */
function outcomeOf({ outcome }: AnyExchangeError): FailedIntent<unknown>['outcome'] {
  if (outcome === 'not-executed') return 'not-executed';
  return outcome === 'rejected' ? 'rejected' : 'unknown';
}
