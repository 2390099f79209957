// A call that places no order: attempts, as far as the endpoint's safety allows retries.
import { catchError, defaultIfEmpty, defer, EMPTY, Observable, Subscription, take, type Subscriber } from 'rxjs';
import { Call, type AttemptObserver, type ClientContext } from './attempt.js';
import type { CallLimits } from './call-options.js';
import {
  hidesParameters,
  type Call as CallEndpoint,
  type Endpoint,
  type Safety,
  type WireFields,
} from '../endpoints/define-endpoint.js';
import {
  ApiError,
  RequestError,
  TimeoutError,
  toExchangeError,
  clearUnknownOutcome,
  isExchangeError,
  isPromise,
  setOutcome,
  type AnyExchangeError,
  type Outcome,
} from '../errors/index.js';
import { isTransient, isTransientAndNotExecuted } from '../operators/index.js';
import { isRejectedNonce, startedIn, type RetryLoop } from '../operators/retry-loop.js';

/**
 * Makes the call at each subscription.
 *
 * @param lookUp calls another endpoint, to find the result of a request whose response was lost
 */
export function plainCall<Output>(
  context: ClientContext,
  latest: LatestCalls,
  endpoint: Endpoint<never, Output>,
  fields: WireFields,
  limits: CallLimits,
  lookUp: CallEndpoint,
): Observable<Output> {
  const earlier: EarlierRequests = { mayBeExecuted: false, sentAt: undefined };
  return new Observable((subscriber) => {
    const call = new Call(context, endpoint, fields, limits);
    const isSetting = endpoint.safety === 'idempotent';
    const setting = isSetting ? latest.start(`${endpoint.name} ${settingOf(endpoint, fields)}`) : undefined;
    const run = new PlainCall(call, subscriber, setting, earlier, lookUp);
    // Before it starts: it may end while it does.
    subscriber.add(run);
    run.start();
  });
}

/** The requests of all subscriptions of one observable. */
interface EarlierRequests {
  /** Whether one of them may have been executed although its response was lost. */
  mayBeExecuted: boolean;
  /** When the first one was sent, by the local clock. */
  sentAt: number | undefined;
}

/** By how much the exchange's clock may be misjudged. */
const clockToleranceMs = 2000;

/** One subscription of a call. Its own subscription ends with the call: it has the attempts, and the waits between. */
class PlainCall<Output> extends Subscription implements AttemptObserver<Output> {
  readonly #call: Call<Output>;
  readonly #subscriber: Subscriber<Output>;
  readonly #setting: Setting | undefined;
  readonly #earlier: EarlierRequests;
  readonly #lookUp: CallEndpoint;
  /** Made at the first failure. */
  #retries: RetryLoop | undefined;
  #isSent = false;
  #isInFlight = false;
  /** Whether a request before the last one may have been executed. */
  #mayBeExecuted: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    call: Call<Output>,
    subscriber: Subscriber<Output>,
    setting: Setting | undefined,
    earlier: EarlierRequests,
    lookUp: CallEndpoint,
  ) {
    super();
    this.#call = call;
    this.#subscriber = subscriber;
    this.#setting = setting;
    this.#earlier = earlier;
    this.#mayBeExecuted = earlier.mayBeExecuted && call.endpoint.resultLookup !== undefined;
    this.#lookUp = lookUp;
  }

  start(): void {
    this.#call.start();
    this.#call.send(this, this);
    if (this.closed) return;
    this.#timer = setTimeout(() => {
      this.#timeOut();
    }, this.#call.limits.callTimeoutMs);
  }

  override unsubscribe(): void {
    if (this.closed) return;
    clearTimeout(this.#timer);
    this.#earlier.mayBeExecuted ||= this.#isInFlight;
    super.unsubscribe();
    this.#setting?.end();
  }

  onSent(): void {
    this.#isSent = true;
    this.#isInFlight = true;
    this.#earlier.sentAt ??= this.#call.context.clock.local();
  }

  onOutput(output: Output): void {
    this.#isInFlight = false;
    this.#subscriber.next(output);
    this.#subscriber.complete();
  }

  onError(error: unknown): void {
    const { safety } = this.#call.endpoint;
    this.#isInFlight = false;
    const isUncertain = isExchangeError(error) && error.outcome === 'unknown';
    this.#earlier.mayBeExecuted ||= isUncertain;
    this.#retries ??= this.#call.retryLoop((failure) => isRetriedAfter(safety, failure), this.#setting?.isLatest);
    this.#retries.afterError(error, {
      run: this,
      again: () => {
        this.#mayBeExecuted ||= isUncertain;
        this.#call.send(this, this);
      },
      fail: (failure) => {
        this.#fail(failure);
      },
    });
  }

  /** Looks the result up first, where the error may come from an earlier request that was executed. */
  #fail(failure: unknown): void {
    const { endpoint, fields } = this.#call;
    const { resultLookup } = endpoint;
    const isAfterExecution =
      this.#earlier.mayBeExecuted &&
      failure instanceof ApiError &&
      resultLookup?.after.includes(failure.reason) === true;
    const end = (mayBeExecuted: boolean) => {
      const error = this.#failureOf(failure);
      if (isAfterExecution) setOutcome(error, mayBeExecuted ? 'unknown' : 'rejected');
      this.#subscriber.error(error);
    };
    if (!isAfterExecution) {
      end(true);
      return;
    }
    startedIn(
      this,
      defer(() => resultLookup.find(this.#lookUp, fields, () => this.#earliest())),
    )
      // The error of the call itself says more than that of its lookup.
      .pipe(
        take(1),
        catchError(() => EMPTY),
        defaultIfEmpty(undefined),
      )
      .subscribe((result) => {
        if (result?.isExecuted === true) this.onOutput(result.output);
        else end(result === undefined);
      });
  }

  /** The exchange cannot have executed a request before, Unix ms by its clock. */
  #earliest(): number {
    const { clock } = this.#call.context;
    return clock.toExchange(this.#earlier.sentAt ?? clock.local()) - clockToleranceMs;
  }

  /** That the last attempt was not executed says nothing of an attempt before it. */
  #failureOf(failure: unknown): AnyExchangeError {
    const error = toExchangeError(failure, this.#call.endpoint.name, this.#outcome());
    if (this.#mayBeExecuted) setOutcome(error, 'unknown');
    return error;
  }

  #timeOut(): void {
    const { endpoint, limits } = this.#call;
    this.unsubscribe();
    const outcome = this.#isSent ? 'unknown' : 'not-executed';
    const error = new TimeoutError(endpoint.name, limits.callTimeoutMs, 'call', outcome);
    if (endpoint.safety === 'read') clearUnknownOutcome(error);
    this.#subscriber.error(error);
  }

  #outcome(): Outcome {
    if (!this.#isSent) return 'not-executed';
    return this.#call.endpoint.safety === 'read' ? 'none' : 'unknown';
  }
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

/** What a call sets, while it is in progress. */
interface Setting {
  /** Whether no later call sets the same. */
  readonly isLatest: () => boolean;
  readonly end: () => void;
}

/** Which call of each key started last, while any of them is in progress. */
export class LatestCalls {
  readonly #calls = new Map<string, { last: symbol; active: number }>();

  start(key: string): Setting {
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
