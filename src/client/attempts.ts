// The attempts of a call: numbered, reported, and each bounded by what is left of the call's validity.
import { defer, throwError, type Observable } from 'rxjs';
import { attemptOnce, type AttemptContext } from './attempt.js';
import type { Nonce } from '../auth/index.js';
import type { CallLimits } from './call-options.js';
import type { Endpoint, WireFields } from '../endpoints/define-endpoint.js';
import { isExchangeError, QueueTimeoutError } from '../errors/index.js';
import type { CallEvent, ClientEvent } from './events.js';
import type { RetryBudget } from '../operators/index.js';
import type { Retry } from '../operators/retry-loop.js';

/** The attempts of one call. */
export interface CallAttempts<Output> {
  /** Number of the call in its client, from 1. */
  readonly call: number;
  /** Makes one at each subscription; `onSent` is called when its request leaves. */
  readonly send: (onSent: (nonce: Nonce | undefined) => void) => Observable<Output>;
  /** A subscription to the call starts: its validity counts from now. */
  readonly start: () => void;
  /** Reports that the last one failed and will be repeated. */
  readonly reportRetry: (retry: Retry) => void;
}

/** Makes the attempts of every call of a client. */
export interface Attempts {
  /** The number of a call that makes no attempts of its own. */
  number(): number;
  of<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, limits: CallLimits): CallAttempts<Output>;
}

export function createAttempts(
  context: AttemptContext,
  budget: RetryBudget,
  report: (event: ClientEvent) => void,
): Attempts {
  let calls = 0;
  const number = () => {
    calls += 1;
    return calls;
  };
  return {
    number,
    of(endpoint, fields, { timeoutMs, priority, validForMs, onEvent }) {
      const call = number();
      const { client_order_id: identifier } = fields;
      const about = {
        endpoint: endpoint.name,
        rateLimit: endpoint.rateLimit.name,
        call,
        ...(typeof identifier === 'string' ? { client_order_id: identifier } : {}),
      };
      let attempt = 0;
      let startedAt = performance.now();
      const emit = (event: CallEvent) => {
        report(event);
        onEvent?.(event);
      };
      return {
        call,
        start() {
          startedAt = performance.now();
        },
        reportRetry({ error, delayMs }) {
          if (!isExchangeError(error)) return;
          const { kind, outcome } = error;
          emit({ type: 'retry', ...about, attempt, delayMs, kind, outcome });
        },
        send: (onSent) =>
          defer(() => {
            const validity =
              validForMs === undefined ? undefined : { forMs: validForMs, until: startedAt + validForMs };
            if (validity !== undefined && performance.now() > validity.until) {
              return throwError(
                () => new QueueTimeoutError(endpoint.name, endpoint.rateLimit.name, validity.forMs, 'check'),
              );
            }
            attempt += 1;
            budget.earn();
            return attemptOnce(context, {
              endpoint,
              fields,
              about: { ...about, attempt },
              timeoutMs,
              priority,
              validity,
              emit,
              onSent,
            });
          }),
      };
    },
  };
}
