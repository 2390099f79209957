// What a client keeps of the calls that set or end something: which of them is the latest, and how a result that was
// lost is found.
import { catchError, concat, defaultIfEmpty, defer, EMPTY, ignoreElements, of, take, type Observable } from 'rxjs';
import type { ExchangeClock } from '../auth/index.js';
import type { IsOfAnother } from './call.js';
import type { Answer, Note, Question } from './change.js';
import type { EarlyQuestion, Hold, Keeper } from './keeper.js';
import { clockToleranceMs } from './known.js';
import { hidesParameters, type Endpoint, type WireFields } from '../endpoint/index.js';
import { RequestError } from '../errors/index.js';

/** Which call of each key started last, while any of them is in progress. */
export type LatestCalls = Map<string, { last: object; active: number }>;

/** What settings of a client share. */
export interface SettingTerms {
  readonly latest: LatestCalls;
  readonly clock: ExchangeClock;
  /** Reads the exchange's clock. */
  readonly reading$: Observable<unknown>;
}

/** What the client adds to a call. */
export interface OwnTerms<Output = unknown> {
  /** Completes when a request may be sent, and fails when it must not be. */
  readonly check$?: Observable<never> | undefined;
  readonly isOfAnother?: IsOfAnother;
  readonly onOutput?: (output: unknown) => void;
  /**
   * Looks up the result of a request that was executed at or after `since`, Unix ms by the exchange's clock, although its
   * response was lost; completes without a value when nothing shows it.
   */
  readonly lookUp?: ((since: () => number) => Observable<Answer<Output>>) | undefined;
}

/** A call that sets or ends something. */
export class Setting<Output> implements Keeper<Output> {
  readonly check$: Observable<never> | undefined;
  readonly #endpoint: Endpoint<never, Output>;
  readonly #fields: WireFields;
  readonly #terms: SettingTerms;
  readonly #own: OwnTerms<Output>;

  constructor(endpoint: Endpoint<never, Output>, fields: WireFields, terms: SettingTerms, own: OwnTerms<Output>) {
    this.check$ = own.check$;
    this.#own = own;
    this.#endpoint = endpoint;
    this.#fields = fields;
    this.#terms = terms;
  }

  /** A retry is dropped when a later call sets the same. */
  begin(): Hold {
    const { latest } = this.#terms;
    const key = `${this.#endpoint.name} ${keyOf(this.#endpoint, this.#fields)}`;
    const calls = latest.get(key) ?? { last: {}, active: 0 };
    const own = {};
    calls.last = own;
    calls.active += 1;
    latest.set(key, calls);
    return {
      isCurrent: () => calls.last === own,
      end: () => {
        calls.active -= 1;
        if (calls.active === 0) latest.delete(key);
      },
    };
  }

  /** A lookup that fails shows nothing: the error of the call itself says more. */
  ask(question: Question | EarlyQuestion): Observable<Answer<Output>> {
    const { clock, reading$ } = this.#terms;
    const sentAt = question.first?.sentAt ?? clock.local();
    const earliest = () => clock.toExchangeAtLeast(sentAt) - clockToleranceMs;
    const undecided: Answer<Output> = { is: 'undecided', reason: 'no list shows the result' };
    // A local clock that is ahead would hide the result: it would seem to be older than the request.
    const read$ =
      clock.atLeast() === undefined
        ? reading$.pipe(
            ignoreElements(),
            catchError(() => EMPTY),
          )
        : EMPTY;
    const found$ = defer(() => this.#own.lookUp?.(earliest) ?? EMPTY);
    return concat(read$, found$).pipe(
      take(1),
      catchError(() => of(undecided)),
      defaultIfEmpty(undecided),
    );
  }

  note(note: Note<Output>): void {
    if (note.do === 'place') this.#own.onOutput?.(note.output);
  }
}

/**
 * What a call sets; empty for everything that the endpoint sets. The function of a user's endpoint may throw.
 */
function keyOf(endpoint: Endpoint, fields: WireFields): string {
  try {
    return endpoint.key?.(fields) ?? '';
  } catch (cause) {
    const issue = { field: 'params', message: 'could not be sent: key() of the endpoint failed' };
    // The exception may quote the parameters.
    throw new RequestError(endpoint.name, [issue], hidesParameters(endpoint) ? undefined : cause);
  }
}
