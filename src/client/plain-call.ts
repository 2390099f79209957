// A call that places no order: attempts, as far as the endpoint's safety allows retries.
import { catchError, defer, finalize, throwError, timeout, type Observable } from 'rxjs';
import { Call, type ClientContext } from './attempt.js';
import type { CallLimits } from './call-options.js';
import { hidesParameters, type Endpoint, type Safety, type WireFields } from '../endpoints/define-endpoint.js';
import { RequestError, TimeoutError, toExchangeError, clearUnknownOutcome, isPromise } from '../errors/index.js';
import { isTransient, isTransientAndNotExecuted } from '../operators/index.js';
import { isRejectedNonce, withRetries } from '../operators/retry-loop.js';

/** Makes the call at each subscription. */
export function plainCall<Output>(
  context: ClientContext,
  latest: LatestCalls,
  endpoint: Endpoint<never, Output>,
  fields: WireFields,
  limits: CallLimits,
): Observable<Output> {
  const { name, safety } = endpoint;
  const { callTimeoutMs } = limits;
  return defer(() => {
    let isSent = false;
    const call = new Call(context, endpoint, fields, limits);
    const setting = safety === 'idempotent' ? latest.start(`${name} ${settingOf(endpoint, fields)}`) : undefined;
    const attempt$ = call.sending(() => {
      isSent = true;
    });
    const late = () => {
      const error = new TimeoutError(name, callTimeoutMs, 'call', isSent ? 'unknown' : 'not-executed');
      if (safety === 'read') clearUnknownOutcome(error);
      return error;
    };
    const outcome = () => {
      if (!isSent) return 'not-executed';
      return safety === 'read' ? 'none' : 'unknown';
    };
    const call$ = attempt$.pipe(
      withRetries(() => {
        call.start();
        return call.retryLoop((error) => isRetriedAfter(safety, error), setting?.isLatest);
      }),
      timeout<Output, Observable<never>>({ first: callTimeoutMs, with: () => throwError(late) }),
      catchError((error: unknown) => throwError(() => toExchangeError(error, name, outcome()))),
    );
    return setting === undefined ? call$ : call$.pipe(finalize(setting.end));
  });
}

/** After which errors a request may be sent again. */
function isRetriedAfter(safety: Safety, error: unknown): boolean {
  if (isRejectedNonce(error)) return true;
  return safety === 'read' || safety === 'idempotent' ? isTransient(error) : isTransientAndNotExecuted(error);
}

/**
 * What a call sets; empty for everything that the endpoint sets. The function of a user's endpoint may
 * throw.
 */
function settingOf(endpoint: Endpoint, fields: WireFields): string {
  const refused = (why: string, cause?: unknown) =>
    new RequestError(
      endpoint.name,
      [{ field: 'params', message: `could not be sent: key() of the endpoint ${why}` }],
      cause,
    );
  let key: unknown;
  try {
    key = endpoint.key?.(fields) ?? '';
  } catch (cause) {
    // The exception may quote the parameters.
    throw refused('failed', hidesParameters(endpoint) ? undefined : cause);
  }
  if (typeof key === 'string') return key;
  isPromise(key);
  throw refused('returned no string');
}

/** Which call of each key started last, while any of them is in progress. */
export class LatestCalls {
  readonly #calls = new Map<string, { last: symbol; active: number }>();

  start(key: string): { readonly isLatest: () => boolean; readonly end: () => void } {
    const own = Symbol();
    const calls = this.#calls.get(key) ?? { last: own, active: 0 };
    calls.last = own;
    calls.active += 1;
    this.#calls.set(key, calls);
    return {
      isLatest: () => calls.last === own,
      end: () => {
        calls.active -= 1;
        if (calls.active === 0) this.#calls.delete(key);
      },
    };
  }
}
