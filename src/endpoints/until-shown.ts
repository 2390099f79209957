// Looks a result up again and again, because lists may show it late.
import { catchError, concatMap, EMPTY, from, timer, type Observable } from 'rxjs';

/** The pauses before the lookups. */
const pausesMs = [0, 500, 1500, 2000];

/** The values of all lookups. A lookup that fails shows nothing: take the first value that counts. */
export function untilShown<Shown>(lookUp: () => Observable<Shown>): Observable<Shown> {
  return from(pausesMs).pipe(
    concatMap((pauseMs) => timer(pauseMs).pipe(concatMap(() => lookUp().pipe(catchError(() => EMPTY))))),
  );
}
