// Calls the endpoints of one client: checks a call before it is queued, and runs every call that places no order.
import { Observable, throwError } from 'rxjs';
import { requireSigning } from '../auth/index.js';
import { Call, type Desk } from './call.js';
import type { CallSite } from './call-site.js';
import { callLimits, callOptions, type CallDefaults, type CallLimits, type CallOptions } from './call-options.js';
import { kindOf, noLookup, type Premises } from './change.js';
import { checkRequest } from './check-request.js';
import { noKeeper, settingKeeper, type Keeper, type LatestCalls, type OwnTerms } from './keeper.js';
import { Run } from './run.js';
import type { Endpoint, WireFields } from '../endpoint/index.js';
import { parse, RequestError, toExchangeError } from '../errors/index.js';

/** A lookup that hangs, or waits for a limit, must not keep an order from being found by the next. */
const lookupMs = 3000;

/** The options of a call that a lookup makes, with the `timeoutMs` of the call that it is for. */
export function lookupOptions(timeoutMs = Number.POSITIVE_INFINITY): CallOptions {
  return { retry: false, priority: 'urgent', timeoutMs: Math.min(timeoutMs, lookupMs), validForMs: lookupMs };
}

/** A call whose parameters and options were checked. */
export interface CheckedCall {
  readonly fields: WireFields;
  readonly limits: CallLimits;
}

/** Calls the endpoints of one client. */
export class Caller {
  readonly desk: Desk;
  /** The rate limits of signed requests: a permit of one of them also waits for a nonce. */
  readonly signedLimits = new Set<string>();
  /** Whether the client was closed: no call is made any more. */
  isClosed = false;
  readonly #defaults: CallDefaults;
  readonly #latest: LatestCalls = new Map();

  constructor(desk: Desk, defaults: CallDefaults) {
    this.desk = desk;
    this.#defaults = defaults;
  }

  /** Throws {@link RequestError} for parameters that cannot be sent, for invalid options, and after the end. */
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

  /** Calls an endpoint that places no order. */
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

  /**
   * The observable of a call that places no order. Each subscription to a read is a call; concurrent subscribers of a
   * change share one.
   *
   * @param own what the client adds to the call
   */
  run<Output>(
    endpoint: Endpoint<never, Output>,
    { fields, limits }: CheckedCall,
    own: OwnTerms<Output> = {},
  ): Observable<Output> {
    const { name, safety, resultLookup } = endpoint;
    const kind = kindOf(safety, resultLookup !== undefined);
    const lookup = { ...noLookup, refusals: resultLookup?.after ?? [] };
    const premises: Premises = { endpoint: name, kind, limits, lookup };
    const keeper: Keeper<Output> =
      kind.isOne || !kind.changes ? noKeeper : settingKeeper(endpoint, fields, this.desk.identity, this.#latest, own);
    const create = () => Run.of(new Call(this.desk, endpoint, fields, limits, own.isOfAnother), { premises, keeper });
    if (kind.changes) return create().output$;
    return new Observable((subscriber) => {
      create().subscribe(subscriber);
    });
  }
}
