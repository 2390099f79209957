// Sends a query on a live connection. A query that fails ends nothing but itself.
import { filter, Observable, take } from 'rxjs';
import * as v from 'valibot';
import { LiveRefusedError, ResponseError, TimeoutError, TransportError } from '../errors/index.js';
import type { Link, RequestEnd } from './connection/index.js';
import type { Query } from './queries.js';

/**
 * Sends the query when the connection is open and authorized where it must be, and ends with its result. Unsubscribing
 * cancels it.
 *
 * @param timeoutMs the maximum time to the result, milliseconds
 */
export function sendQuery<Params, Output>(
  link: Link,
  timeoutMs: number,
  query: Query<Params, Output>,
  params: Params,
): Observable<Output> {
  const { name, method } = query;
  return new Observable((subscriber) => {
    const failed = (error: unknown) => {
      subscriber.error(error);
    };
    const respond = (end: RequestEnd) => {
      if (end.type === 'refused') failed(new LiveRefusedError(name, end.refusal.code, end.refusal.message));
      else if (end.type === 'lost')
        failed(new TransportError('the connection was lost', { endpoint: name, outcome: 'none' }));
      else if (end.type === 'oversized') failed(unreadableResult(name, `the result ${end.problem}`));
      else {
        const read = v.safeParse(query.result, end.result);
        if (!read.success) failed(unreadableResult(name, 'the result is not a valid result of the query'));
        else {
          subscriber.next(read.output);
          subscriber.complete();
        }
      }
    };
    const timer = setTimeout(() => {
      failed(new TimeoutError(name, timeoutMs, 'attempt', 'none'));
    }, timeoutMs);
    subscriber.add(() => {
      clearTimeout(timer);
    });
    subscriber.add(link.failures$.subscribe(failed));
    subscriber.add(link.retain());
    const open$ = link.state$.pipe(
      filter(({ status }) => status === 'open'),
      take(1),
    );
    subscriber.add(
      open$.subscribe(() => {
        subscriber.add(link.request(method, query.params(params), respond, false));
      }),
    );
  });
}

/** 101 is the status of the response that made the connection. */
function unreadableResult(name: string, problem: string): ResponseError {
  return new ResponseError(problem, 101, undefined, name).with({ outcome: 'none' });
}
