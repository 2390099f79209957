// placeEach(): places one order for each intent and emits its outcome. A failed order does not end the pipeline.
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
  countOrInfinity,
  isExchangeError,
  optionsOf,
  parse,
} from '../errors/index.js';

/** Options of {@link placeEach}. */
export interface PlaceEachOptions {
  /**
   * How many orders may be in progress at once, 1 or more. Further intents wait in order.
   *
   * @default Infinity
   */
  readonly concurrency?: number;
}

/** The result of one intent, by `outcome`. */
export type IntentResult<Intent, Order> =
  | {
      /** The intent. */
      readonly intent: Intent;
      /** Discriminates the results. */
      readonly outcome: 'placed';
      /** The placed order. */
      readonly order: Order;
    }
  | {
      /** The intent. */
      readonly intent: Intent;
      /**
       * The outcome of the order:
       * - `not-executed`: the order does not exist, and no request in flight can create it.
       * - `rejected`: the exchange rejected the order. It does not exist.
       * - `unknown`: the order may exist. Look it up by `error.client_order_id`, and place no other order in its stead
       *   before its outcome is known.
       */
      readonly outcome: 'not-executed' | 'rejected' | 'unknown';
      /** Why the order failed. */
      readonly error: AnyExchangeError;
    };

const placeEachOptions = optionsOf<PlaceEachOptions>({ concurrency: countOrInfinity(1) });

/**
 * Places one order for each intent, and emits the outcomes in the order in which they become known. A failed order is a
 * result and does not end the pipeline. Put no `retry()` around the pipeline: it would forget the orders in progress
 * and place others in their stead. To retry one order, put `retry()` around it in `project`: an order observable stays
 * one order.
 *
 * `project` returns the observable of one order and nothing else; put reads before the intents. An error that does not
 * state the outcome of the order counts as `unknown`.
 *
 * ```text
 * intents:           -a-----b-------c-|
 * order of each:      --(o|) ----#    -(o|)
 * placeEach(...):    ---A-------B----C|    A, C: placed, B: rejected
 * ```
 *
 * An error of the intents, or an error that is not from this package, ends the stream after the orders in progress have
 * ended; waiting intents are dropped. Unsubscribing leaves the orders in progress with an unknown outcome: to stop, put
 * `takeUntil` before this operator.
 *
 * @example
 * ```ts
 * import { placeEach, type Exchange } from 'exchange-rx';
 * import type { Observable } from 'rxjs';
 *
 * const trade = (exchange: Exchange, amounts$: Observable<string>) =>
 *   amounts$.pipe(
 *     placeEach((amount) => exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount })),
 *   );
 *
 * const log = (exchange: Exchange, amounts$: Observable<string>) =>
 *   trade(exchange, amounts$).subscribe((result) => {
 *     if (result.outcome === 'placed') console.log(result.intent, 'bought for', result.order.deal_money);
 *     else console.log(result.intent, result.outcome, result.error.message);
 *   });
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function placeEach<Intent, Order>(
  project: (intent: Intent, index: number) => Observable<Order>,
  options: PlaceEachOptions = {},
): OperatorFunction<Intent, IntentResult<Intent, Order>> {
  parse('placeEach', aFunction(), project, 'project');
  const { concurrency = Number.POSITIVE_INFINITY } = parse('placeEach', placeEachOptions, options);
  return (intents$) =>
    defer(() => {
      const stop$ = new Subject<void>();
      let fatalError: { readonly error: unknown } | undefined;
      // Unsubscribing from the orders in progress would leave their outcome unknown.
      const endWith = (error: unknown): Observable<never> => {
        fatalError ??= { error };
        stop$.next();
        return EMPTY;
      };
      const place = (intent: Intent, index: number): Observable<IntentResult<Intent, Order>> =>
        defer(() => (fatalError === undefined ? project(intent, index) : EMPTY)).pipe(
          map((order) => ({ intent, outcome: 'placed', order }) as const),
          catchError((error: unknown) =>
            isExchangeError(error) ? of({ intent, outcome: outcomeOf(error), error }) : endWith(error),
          ),
        );
      return concat(
        intents$.pipe(catchError(endWith), takeUntil(stop$), mergeMap(place, concurrency)),
        defer(() => (fatalError === undefined ? EMPTY : throwError(() => fatalError?.error))),
      );
    });
}

/** `unknown` unless the error says that no order exists. */
function outcomeOf({ outcome }: AnyExchangeError): 'not-executed' | 'rejected' | 'unknown' {
  return outcome === 'not-executed' || outcome === 'rejected' ? outcome : 'unknown';
}
