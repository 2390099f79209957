// An order observable is one order: however often it is subscribed to, it sends at most one request that may have been executed.
import { defer, of, ReplaySubject, share, tap, throwError, type Observable } from 'rxjs';
import { isExchangeError, type ExchangeError } from './errors.js';

/**
 * Makes one order of a call. Subscribers share one sending of it, and those who come later get what it ended with. Only when
 * it is known that nothing was placed (`not-sent`, `rejected`) does a new subscription send again.
 *
 * @param send sends the request; it calls `onSent` when the request leaves
 * @param interrupted the error for those who subscribe after all others left while the request was on the wire
 */
export function oneOrder<Output>(
  send: (onSent: () => void) => Observable<Output>,
  interrupted: () => ExchangeError,
): Observable<Output> {
  let sent = false;
  /** What the order came to, once that is settled for good. */
  let end$: Observable<Output> | undefined;

  return defer(() => {
    if (end$ !== undefined) return end$;
    sent = false;
    return send(() => {
      sent = true;
    });
  }).pipe(
    tap({
      next: (order) => {
        end$ = of(order);
      },
      error: (error: unknown) => {
        if (!isKnownNotPlaced(error)) end$ = throwError(() => error);
      },
      unsubscribe: () => {
        if (sent) end$ ??= throwError(interrupted);
      },
    }),
    share({ connector: () => new ReplaySubject(1) }),
  );
}

function isKnownNotPlaced(error: unknown): boolean {
  return isExchangeError(error) && error.outcome !== 'unknown';
}
