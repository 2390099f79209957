// Calls the endpoints of one client: checks a call before it is queued, and runs every call that places no order.
import { catchError, concat, defaultIfEmpty, defer, EMPTY, Observable, of, take, throwError } from 'rxjs';
import { requireSigning } from '../auth/index.js';
import { Call, type Desk, type Identity, type IsOfAnother } from './call.js';
import type { CallSite } from './call-site.js';
import { callLimits, callOptions, type CallDefaults, type CallLimits, type CallOptions } from './call-options.js';
import { clockToleranceMs, kindOf, noKeeper, type Answer, type Keeper, type Premises } from './change.js';
import { checkRequest } from './check-request.js';
import { Run } from './run.js';
import type { Endpoint, WireFields } from '../endpoint/index.js';
import { parse, RequestError, toExchangeError } from '../errors/index.js';

/** A lookup that hangs, or waits for a limit, must not keep an order from being found by the next. */
const lookupMs = 3000;

/** The options of a call that a lookup makes, with the `timeoutMs` of the call that it is for. */
export function lookupOptions(timeoutMs = Number.POSITIVE_INFINITY): CallOptions {
  return { retry: false, priority: 'urgent', timeoutMs: Math.min(timeoutMs, lookupMs), validForMs: lookupMs };
}

export interface CheckedCall {
  readonly fields: WireFields;
  readonly limits: CallLimits;
}

export interface OwnTerms<Output = unknown> {
  readonly check$?: Observable<never> | undefined;
  readonly isOfAnother?: IsOfAnother;
  readonly onOutput?: (output: unknown) => void;
  /**
   * Looks up the result of a request that was executed at or after `since`, Unix ms by the exchange's clock, although its
   * response was lost; completes without a value when nothing shows it.
   */
  readonly lookUp?: ((since: () => number) => Observable<Answer<Output>>) | undefined;
}

export class Caller {
  readonly desk: Desk;
  /** The rate limits of signed requests: a permit of one of them also waits for a nonce. */
  readonly signedLimits = new Set<string>();
  isClosed = false;
  readonly #defaults: CallDefaults;
  /** Which call of each key started last, while it has a subscriber. */
  readonly #latest = new Map<string, object>();

  constructor(desk: Desk, defaults: CallDefaults) {
    this.desk = desk;
    this.#defaults = defaults;
  }

  check(endpoint: Endpoint, params: unknown, options: CallOptions | undefined, site?: CallSite): CheckedCall {
    if (this.isClosed) throw new RequestError(endpoint.name, [{ field: 'exchange', message: 'is closed' }]);
    const fields = checkRequest(endpoint, params);
    const parsed = options === undefined ? {} : parse(endpoint.name, callOptions, options);
    const limits = callLimits(endpoint, parsed, this.#defaults, site);
    if (endpoint.authentication === 'signed') {
      requireSigning(this.desk.identity.signing, endpoint.name);
      for (const { name } of endpoint.rateLimits) this.signedLimits.add(name);
    }
    return { fields, limits };
  }

  readonly call = <Output>(
    endpoint: Endpoint<never, Output>,
    params: object,
    options: CallOptions = {},
  ): Observable<Output> => {
    try {
      return this.run(endpoint, this.check(endpoint, params, options));
    } catch (error) {
      return throwError(() => toExchangeError(error, endpoint.name, 'not-executed'));
    }
  };

  /** Each subscription to a read is a call; concurrent subscribers of a change share one. */
  run<Output>(
    endpoint: Endpoint<never, Output>,
    { fields, limits }: CheckedCall,
    own: OwnTerms<Output> = {},
  ): Observable<Output> {
    const { name, safety, resultLookup } = endpoint;
    const kind = kindOf(safety, resultLookup !== undefined);
    const premises: Premises = { endpoint: name, kind, limits, refusals: resultLookup?.after ?? [] };
    const keeper: Keeper<Output> =
      kind.isOne || !kind.changes ? noKeeper : settingKeeper(endpoint, fields, this.desk.identity, this.#latest, own);
    const create = () => Run.of(new Call(this.desk, endpoint, fields, limits, own.isOfAnother), premises, keeper);
    if (kind.changes) return create().output$;
    return new Observable((subscriber) => {
      create().subscribe(subscriber);
    });
  }
}

function settingKeeper<Output>(
  endpoint: Endpoint<never, Output>,
  fields: WireFields,
  { clock, reading$ }: Pick<Identity, 'clock' | 'reading$'>,
  latest: Map<string, object>,
  own: OwnTerms<Output>,
): Keeper<Output> {
  const undecided: Answer<Output> = { is: 'undecided', reason: 'no list shows the result' };
  return {
    check$: own.check$,
    // A retry is dropped when a later call sets the same.
    begin: () => {
      const key = `${endpoint.name} ${keyOf(endpoint, fields)}`;
      const call = {};
      latest.set(key, call);
      const isCurrent = () => latest.get(key) === call;
      return { isCurrent, end: () => isCurrent() && latest.delete(key) };
    },
    // A lookup that fails shows nothing: the error of the call itself says more.
    ask: (question) => {
      const sentAt = question.first?.sentAt ?? clock.local();
      const earliest = () => clock.toExchangeAtLeast(sentAt) - clockToleranceMs;
      // A local clock that is ahead would hide the result: it would seem to be older than the request.
      return concat(
        clock.atLeast() === undefined ? reading$ : EMPTY,
        defer(() => own.lookUp?.(earliest) ?? EMPTY),
      ).pipe(
        take(1),
        catchError(() => of(undecided)),
        defaultIfEmpty(undecided),
      );
    },
    note: (note) => {
      if (note.do === 'place') own.onOutput?.(note.output);
    },
  };
}

/** What a call sets; empty for everything that the endpoint sets. The function of a user's endpoint may throw. */
function keyOf(endpoint: Endpoint, fields: WireFields): string {
  try {
    return endpoint.key?.(fields) ?? '';
  } catch (cause) {
    const issue = { field: 'params', message: 'could not be sent: key() of the endpoint failed' };
    // The exception may quote the parameters.
    throw new RequestError(endpoint.name, [issue], endpoint.confidential ? undefined : cause);
  }
}
