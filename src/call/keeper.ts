// What the client keeps of a call beyond its requests: whether it may be sent, how its result is looked up, and which
// call set the same thing last.
import { catchError, concat, defaultIfEmpty, defer, EMPTY, ignoreElements, of, take, type Observable } from 'rxjs';
import type { Identity, IsOfAnother } from './call.js';
import { clockToleranceMs, type Answer, type Note, type Question } from './change.js';
import { hidesParameters, type Endpoint, type WireFields } from '../endpoint/index.js';
import { RequestError } from '../errors/index.js';

/** What the client keeps of a call beyond its requests. */
export interface Keeper<Output> {
  /** Completes when a request may be sent, and fails when it must not be. */
  readonly check$?: Observable<never> | undefined;
  /**
   * A subscription begins; throws when it must not. `onPushed` gets the time when the order was placed, Unix ms, as the
   * live connection pushes it.
   */
  begin(onPushed: (placedAt: number) => void): Hold;
  /** Looks the result up. */
  ask(question: Question): Observable<Answer<Output>>;
  note(note: Note<Output>): void;
}

/** What is kept while a call has a subscriber. */
export interface Hold {
  /** Whether a request of it still makes sense. */
  isCurrent(): boolean;
  end?(): void;
}

export const hold: Hold = { isCurrent: () => true };

/** Nothing is checked, looked up or noted. */
export const noKeeper: Keeper<never> = {
  begin: () => hold,
  ask: () => EMPTY,
  note: () => undefined,
};

/** Which call of each key started last, while it has a subscriber. */
export type LatestCalls = Map<string, object>;

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

/** The keeper of a call that sets or ends something. */
export function settingKeeper<Output>(
  endpoint: Endpoint<never, Output>,
  fields: WireFields,
  { clock, reading$ }: Pick<Identity, 'clock' | 'reading$'>,
  latest: LatestCalls,
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
      const read$ = clock.atLeast() === undefined ? reading$.pipe(ignoreElements()) : EMPTY;
      return concat(
        read$.pipe(catchError(() => EMPTY)),
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
    throw new RequestError(endpoint.name, [issue], hidesParameters(endpoint) ? undefined : cause);
  }
}
