// An order observable is one order: however often it is subscribed to, it sends at most one request that may have been executed.
import { defer, NEVER, of, ReplaySubject, share, tap, throwError, type Observable } from 'rxjs';
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
  let lost: ExchangeError | undefined;
  const onSent = () => {
    sent = true;
  };

  return defer(() => {
    if (lost !== undefined) return throwError(() => lost);
    sent = false;
    return send(onSent);
  }).pipe(
    tap({
      unsubscribe: () => {
        if (sent) lost = interrupted();
      },
    }),
    share({
      connector: () => new ReplaySubject(1),
      resetOnComplete: false,
      resetOnError: (error: unknown) => (isKnownNotPlaced(error) ? of(true) : NEVER),
      resetOnRefCountZero: true,
    }),
  );
}

function isKnownNotPlaced(error: unknown): boolean {
  return isExchangeError(error) && error.outcome !== 'unknown';
}
