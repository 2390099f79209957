// Finds out that a silent market does not exist, where the exchange cannot refuse it: in a subscription to all markets.
import {
  catchError,
  EMPTY,
  exhaustMap,
  ignoreElements,
  merge,
  takeUntil,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import { LiveRefusedError } from '../errors/index.js';

/** The exchange sends the first value of a market within 0.1 s. */
const firstLookMs = 5000;
const lookEveryMs = 60_000;
/** The exchange's code for a market that it does not have. */
const unknownMarketCode = 9;

/**
 * The values of a market. While there is none, `look`, a query about the market, is sent now and then: the stream ends
 * with {@link LiveRefusedError} when the exchange does not have the market.
 */
export function refuseUnknown<Value>(
  name: string,
  market: string,
  values$: Observable<Value>,
  look: () => Observable<unknown>,
): Observable<Value> {
  const refusal$ = timer(firstLookMs, lookEveryMs).pipe(
    takeUntil(values$),
    exhaustMap(() =>
      look().pipe(
        ignoreElements(),
        catchError((error: unknown) =>
          error instanceof LiveRefusedError && error.code === unknownMarketCode
            ? throwError(() => new LiveRefusedError(name, error.code, error.exchangeMessage, market))
            : EMPTY,
        ),
      ),
    ),
  );
  return merge(values$, refusal$);
}
