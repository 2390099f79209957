// What moves money or creates something, at most once: looked up after a lost response, and never sent again.
import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  first,
  forkJoin,
  ignoreElements,
  of,
  repeat,
  tap,
  throwError,
  type Observable,
} from 'rxjs';
import { findRecord, recordsBefore, type ListedRecords, type RecordSearch } from './record-lookup.js';
import {
  AbsenceProof,
  Call,
  clockToleranceMs,
  defaultLookupTimeoutMs,
  hold,
  lookupOptions,
  lookUpUntilDecided,
  moving,
  Run,
  type AbsencePremises,
  type Answer,
  type Caller,
  type CheckedCall,
  type Hold,
  type Keeper,
  type Note,
  type Premises,
  type Question,
  type Sent,
} from '../call/index.js';
import type { Endpoint, RecordLookup, WireFields } from '../endpoint/index.js';
import { RequestError, toExchangeError } from '../errors/index.js';
import { formatDecimal, readDecimal } from '../model/decimal.js';
import { progressOf, type OrderEvent } from '../orders/index.js';

/**
 * What is known of a movement whose response was lost: of a transfer, a withdrawal, or another request of safety `keyed` or
 * `once`. `progress` is that of an order, see {@link OrderEvent}.
 */
export interface MovementEvent extends Pick<OrderEvent, 'endpoint' | 'call' | 'progress' | 'reason'> {
  /** Discriminates the events. */
  readonly type: 'movement';
}

export interface MovementOptions extends Required<AbsencePremises> {
  readonly lookupTimeoutMs?: number;
}

const defaultRefusals = ['duplicate'] as const;
const noRecords: ReadonlySet<unknown> = new Set();
/** With a `settleMs` of `Infinity`: how long the record of a movement that was executed is waited for, milliseconds. */
const maxSettleMs = 60_000;
/** Between two looks for the record of an earlier movement, milliseconds. */
const pauseMs = 500;

export class Movements {
  readonly caller: Caller;
  readonly timing: Required<AbsencePremises>;
  readonly #timeoutMs: number;
  readonly #report: (event: MovementEvent) => void;
  /** Those without a key that are in flight or in doubt. */
  readonly #open = new Set<Movement<unknown>>();
  /** Those without a key that were executed, and whose records were not listed yet; the oldest first. */
  readonly #unlisted = new Map<Movement<unknown>, number>();

  constructor(caller: Caller, options: MovementOptions, report: (event: MovementEvent) => void) {
    const { lookupTimeoutMs = defaultLookupTimeoutMs, ...timing } = options;
    this.caller = caller;
    this.timing = timing;
    this.#timeoutMs = lookupTimeoutMs;
    this.#report = report;
  }

  /** The observable of one movement: it is executed at most once, whatever is piped around it. */
  make<Output>(
    endpoint: Endpoint<never, Output>,
    lookup: RecordLookup<Output>,
    { fields, limits }: CheckedCall,
  ): Observable<Output> {
    const premises: Premises = {
      endpoint: endpoint.name,
      kind: moving,
      limits,
      lookupTimeoutMs: this.#timeoutMs,
      refusals: lookup.after ?? defaultRefusals,
      comparing: lookup.compares,
    };
    const call = new Call(this.caller.desk, endpoint, fields, limits);
    const options = lookupOptions(limits.timeoutMs);
    const read: RecordSearch<Output>['read'] = (list, params) => this.caller.call(list, params, options);
    return Run.of(call, premises, new Movement(call, { lookup, fields, read }, this)).output$;
  }

  /**
   * The record of a movement without a key is recognized by its values: while one is in flight or in doubt, another one of
   * the same values could be taken for it.
   */
  claim(movement: Movement<unknown>): boolean {
    if ([...this.#open].some((other) => other !== movement && other.isSameAs(movement))) return false;
    this.#open.add(movement);
    return true;
  }

  free(movement: Movement<unknown>): void {
    this.#open.delete(movement);
  }

  /** It was executed: its record is listed later. */
  executed(movement: Movement<unknown>): void {
    for (const [other, at] of this.#unlisted) if (this.#isSettled(at)) this.#unlisted.delete(other);
    this.#unlisted.set(movement, performance.now());
  }

  /** Whether what was executed then is listed, as far as it will be. */
  #isSettled(at: number): boolean {
    const { settleMs, historyLagMs } = this.timing;
    return performance.now() > at + Math.min(settleMs, maxSettleMs) + historyLagMs;
  }

  /** Whether the records of all earlier movements of the same values are listed, as far as they will be. */
  areListed(movement: Movement<unknown>, { matching }: ListedRecords): boolean {
    const earlier = [...this.#unlisted].filter(([other]) => other.isSameAs(movement));
    const [first] = earlier;
    const before = first?.[0].before ?? noRecords;
    const isListed = matching.every((ids) => ids.filter((id) => !before.has(id)).length >= earlier.length);
    const isOver = earlier.every(([, at]) => this.#isSettled(at));
    if (!isListed && !isOver) return false;
    for (const [other] of earlier) this.#unlisted.delete(other);
    return true;
  }

  report(event: Omit<MovementEvent, 'type'>): void {
    this.#report({ type: 'movement', ...event });
  }
}

class Movement<Output> implements Keeper<Output> {
  readonly check$: Observable<never>;
  readonly #call: Call<Output>;
  readonly #search: RecordSearch<Output>;
  readonly #movements: Movements;
  /** The records that were listed before the request; `undefined` for one with a key. */
  before: ReadonlySet<unknown> | undefined;
  /** Continues from subscription to subscription. */
  #proof: { readonly of: Sent; readonly proof: AbsenceProof } | undefined;

  constructor(call: Call<Output>, search: RecordSearch<Output>, movements: Movements) {
    this.#call = call;
    this.#search = search;
    this.#movements = movements;
    // The record of an earlier movement of the same values would be taken for this one's.
    const before$ = defer(() => recordsBefore(search)).pipe(
      tap((listed) => {
        this.before = listed.all;
      }),
      repeat({ delay: pauseMs }),
      first((listed) => movements.areListed(this, listed)),
      ignoreElements(),
    );
    this.check$ = concat(checkOf(call.endpoint, search), this.#hasKey ? EMPTY : before$).pipe(
      catchError((error: unknown) =>
        throwError(() => toExchangeError(error, call.endpoint.name, 'not-executed').with({ outcome: 'not-executed' })),
      ),
    );
  }

  get #hasKey(): boolean {
    return this.#search.lookup.idOf === undefined;
  }

  get #names(): readonly string[] {
    const { lookup, fields } = this.#search;
    return lookup.namesOf?.(fields) ?? [nameOf(fields)];
  }

  isSameAs(other: Movement<unknown>): boolean {
    return (
      this.#call.endpoint.name === other.#call.endpoint.name && this.#names.some((name) => other.#names.includes(name))
    );
  }

  begin(): Hold {
    if (this.#hasKey || this.#movements.claim(this)) return hold;
    const message = 'are those of a request that is in flight, or whose outcome is unknown: determine it first';
    throw new RequestError(this.#call.endpoint.name, [{ field: 'params', message }]);
  }

  ask(question: Question): Observable<Answer<Output>> {
    const { open, first = open } = question;
    const { clock, reading$: clock$ } = this.#movements.caller.desk.identity;
    if (open === undefined || first === undefined) return of({ is: 'undecided', reason: 'no request was sent' });
    if (this.#proof?.of !== open)
      this.#proof = { of: open, proof: new AbsenceProof(open, clock, this.#movements.timing) };
    const { proof } = this.#proof;
    const { sentAt, sentAtExchange } = first;
    const since = () => Math.min(clock.toExchange(sentAt), sentAtExchange) - clockToleranceMs;
    const find = () => findRecord(this.#search, this.before, since);
    return lookUpUntilDecided({ find, clock$, proof, whyNoProof: () => this.#search.lookup.provesNothing }, question);
  }

  note(note: Note<Output>): void {
    if (note.do === 'place' || (note.do === 'leave' && note.open === undefined)) this.#movements.free(this);
    if (note.do === 'place' && !note.isFound && !this.#hasKey) this.#movements.executed(this);
    const progress = progressOf(note);
    if (progress === undefined) return;
    const { endpoint, number: call } = this.#call;
    this.#movements.report({ endpoint: endpoint.name, call, ...progress });
  }
}

/** Completes when the lists of the endpoint's check show nothing wrong with the request. */
function checkOf({ name, check }: Endpoint, { fields, read }: RecordSearch<unknown>): Observable<never> {
  if (check === undefined) return EMPTY;
  const [one, other] = check.lists;
  return defer(() => forkJoin([read(one, {}), read(other, {})])).pipe(
    concatMap(([first, second]) => {
      const issues = check.issuesOf(fields, first, second);
      return issues.length === 0 ? EMPTY : throwError(() => new RequestError(name, issues));
    }),
  );
}

/** The values of a request, whose decimals may be written in several ways. */
function nameOf(fields: WireFields): string {
  const values = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(values, (_, value: unknown) => {
    const number = typeof value === 'string' ? readDecimal(value) : undefined;
    return number === undefined ? value : formatDecimal(number);
  });
}
