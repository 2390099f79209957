// The attempts of a call: numbered, told of, and with a nonce that was refused replaced at once.
import { defer, retry, throwError, timer, type Observable } from 'rxjs';
import { attemptOnce, type AttemptContext } from './attempt.js';
import type { Nonce } from './auth/index.js';
import type { CallLimits } from './call-limits.js';
import type { Endpoint, WireFields } from './endpoint.js';
import { AuthError, isExchangeError } from './errors.js';
import type { CallEvent, SessionEvent } from './events.js';
import type { RetryBudget } from './operators/index.js';

/** A nonce that was refused was never executed: the request is signed again at once. */
const mostNonces = 3;

/** The attempts of one call. */
export interface CallAttempts<Output> {
  /** Makes one at each subscription; `onSent` is called when its request leaves. */
  readonly send: (onSent: (nonce: Nonce | undefined) => void) => Observable<Output>;
  /** Tells that the last one failed and will be repeated. */
  readonly tellRetry: (error: unknown, delayMs: number) => void;
}

/** Makes the attempts of every call of a session. */
export interface Attempts {
  of<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, limits: CallLimits): CallAttempts<Output>;
}

export function createAttempts(context: AttemptContext, budget: RetryBudget, tell: (event: SessionEvent) => void): Attempts {
  return {
    of(endpoint, fields, { timeoutMs, priority, expiresInMs, onEvent }) {
      let attempt = 0;
      const emit = (event: CallEvent) => {
        tell(event);
        onEvent?.(event);
      };
      const tellRetry = (error: unknown, delayMs: number) => {
        if (!isExchangeError(error)) return;
        const { kind, outcome } = error;
        emit({ type: 'retry', endpoint: endpoint.name, group: endpoint.group.name, attempt, delayMs, kind, outcome });
      };
      return {
        tellRetry,
        send: (onSent) =>
          defer(() => {
            attempt += 1;
            budget.earn();
            return attemptOnce(context, { endpoint, fields, attempt, timeoutMs, priority, expiresInMs, emit, onSent });
          }).pipe(
            retry({
              count: mostNonces - 1,
              delay: (error: unknown) => {
                if (!(error instanceof AuthError && error.reason === 'nonce')) return throwError(() => error);
                tellRetry(error, 0);
                return timer(0);
              },
            }),
          ),
      };
    },
  };
}
