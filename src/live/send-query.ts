// Sends a query on a live connection. A query that fails ends nothing but itself.
import { filter, Observable, take } from 'rxjs';
import * as v from 'valibot';
import {
  copyError,
  LiveRefusedError,
  RequestError,
  ResponseError,
  TimeoutError,
  TransportError,
} from '../errors/index.js';
import type { Redactor } from '../http/index.js';
import type { Link, RequestEnd } from './connection/index.js';
import { wireParams } from './define-channel.js';
import type { Query } from './queries.js';

/** Where a query is sent. */
interface QueryContext {
  readonly link: Link;
  readonly timeoutMs: number;
  /** Removes the client's secrets from a text of the exchange. */
  readonly redactor: Redactor;
}

/**
 * Sends the query when the connection is open and authorized where it must be, and ends with its result. Unsubscribing
 * cancels it.
 */
export function sendQuery<Params, Output>(
  { link, timeoutMs, redactor }: QueryContext,
  query: Query<Params, Output>,
  params: Params,
): Observable<Output> {
  const { name, method } = query;
  return new Observable((subscriber) => {
    const list = listOf(query, params);
    const failed = (error: unknown) => {
      subscriber.error(error);
    };
    const respond = (end: RequestEnd) => {
      if (end.type === 'refused') failed(new LiveRefusedError(name, end.refusal.code, end.refusal.message));
      else if (end.type === 'lost')
        failed(new TransportError('the connection was lost', { endpoint: name, outcome: 'none' }));
      else if (end.type === 'oversized') failed(unreadableResult(name, `the result ${end.problem}`));
      else {
        const output = readResult(query, end.result, redactor);
        if (output instanceof ResponseError) failed(output);
        else {
          subscriber.next(output.value);
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
        subscriber.add(link.request(method, list, respond, false));
      }),
    );
  });
}

/** The parameters as the exchange takes them. The function may be a user's own and throw. */
function listOf<Params>({ name, params: listOfParams }: Query<Params, unknown>, params: Params): readonly unknown[] {
  try {
    return wireParams(listOfParams(params));
  } catch (cause) {
    const message = 'must return an array that JSON can hold, and must not throw';
    throw new RequestError(name, [{ field: 'params', message }], cause, 'none');
  }
}

/** The schema may be a user's own and throw. */
function readResult<Output>(
  { name, result: schema }: Query<never, Output>,
  result: unknown,
  redactor: Redactor,
): { readonly value: Output } | ResponseError {
  let cause: unknown;
  try {
    const read = v.safeParse(schema, result);
    if (read.success) return { value: read.output };
  } catch (error) {
    // The error may quote the result.
    cause = copyError(error, redactor.redact);
  }
  return unreadableResult(name, 'the result is not a valid result of the query', cause);
}

/** 101 is the status of the response that made the connection. */
function unreadableResult(name: string, problem: string, cause?: unknown): ResponseError {
  return new ResponseError(problem, 101, undefined, name, cause).with({ outcome: 'none' });
}
