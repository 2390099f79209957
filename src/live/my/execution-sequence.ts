// The executions of one subscriber, put together from pushes and the history: each once, and a gap where some may be
// missing. It keeps no time of its own.
import type { Execution, ExecutionCursor, ExecutionPage, LiveExecutionItem } from '../../model/deal.js';
import type { LiveGap } from '../../model/stream-gap.js';
import { gapOf, Outage, type GapFact, type ReadKind } from '../recovery/index.js';

/** The history may list an execution at least this much later than those after it, seconds. */
const minOverlapS = 60;
/** What was emitted is known for this much longer: a push may come after later executions were read, seconds. */
const memoryS = 600;

export class ExecutionSequence {
  readonly #isSinceConfirmation: boolean;
  /** The history may list an execution this much later than those after it, seconds. */
  readonly #overlapS: number;
  /** Executions before this time are not wanted. */
  #start: number;
  /** Every wanted execution before this time was emitted. */
  #completeUntil = Number.NEGATIVE_INFINITY;
  /** A deal with a greater number was not emitted, whatever its time is. */
  #greatestId = Number.NEGATIVE_INFINITY;
  /** The emitted executions since then and for {@link memoryS} before it, with their times. */
  readonly #known = new Map<string, number>();
  /** Those since then in the order of emission. It is only appended to, because cursors are parts of it. */
  #emitted: string[] = [];
  #newest: Execution | undefined;
  /** Pushes that wait for the history, which may list earlier ones. */
  #held: Execution[] | undefined = [];
  readonly #outage = new Outage();
  #unreadable = 0;

  /**
   * @param since `undefined`: the first confirmation of the subscription
   * @param now Unix seconds by this machine's clock
   * @param historyLagS how long an execution may be missing from the history
   */
  constructor(since: number | ExecutionCursor | undefined, now: number, historyLagS = 0) {
    this.#overlapS = Math.max(minOverlapS, historyLagS);
    this.#isSinceConfirmation = since === undefined;
    this.#start = typeof since === 'object' ? since.from : (since ?? now);
    // Their times are known when the history lists them.
    this.#emitted = typeof since === 'object' ? [...since.emitted] : [];
    for (const key of this.#emitted) this.#known.set(key, Number.POSITIVE_INFINITY);
  }

  get readFrom(): number {
    return Math.max(this.#start, this.#completeUntil);
  }

  /** Sets the exchange's time of the first confirmation. */
  beginAt(time: number): void {
    this.#start = time;
  }

  push(execution: Execution): readonly LiveExecutionItem[] {
    // The clock that the beginning was read from may differ from that of the deals: what is pushed is after it.
    if (this.#isKnown(execution) || (!this.#isSinceConfirmation && execution.time < this.#start)) return [];
    // Whether it was emitted is not known any more.
    if (this.#isForgotten(execution)) return [unfilled('late', execution.time, execution.time)];
    if (this.#held === undefined) return this.#emit([execution]);
    this.#held.push(execution);
    return [];
  }

  /** Pushes may be missing from now on. The next ones wait for the history. */
  interrupt(reason: LiveGap['reason'], now: number): readonly LiveExecutionItem[] {
    // Losses that follow each other faster than the history is read must not hold pushes back forever.
    const isStuck = reason !== 'unreadable' && this.#held !== undefined && this.#held.length > 0;
    const items = isStuck ? this.fail(now) : [];
    this.#outage.begin(reason, this.#lastTime);
    this.#held ??= [];
    return items;
  }

  bridge(page: ExecutionPage, kind: ReadKind, now: number): readonly LiveExecutionItem[] {
    const outage = this.#outage;
    const isAudit = outage.reason === undefined && this.#held === undefined;
    const missing = this.#missingIn(page);
    const isPartial = kind === 'extra';
    if (isPartial && missing.length === 0) return [];
    const isFirst = outage.reason !== undefined && !outage.isRead;
    const isLate = isAudit || outage.isReported;
    const isLoss = isAudit && missing.length > 0;
    const loss = isLoss ? { reason: 'silent-loss', from: now, filled: true } : undefined;
    const fact = outage.read(isPartial, page.unreadable === 0) ?? loss;
    // Of a silent loss, the times of what was lost are all that is known: this machine's clock may be wrong.
    const gaps = fact === undefined ? [] : [gapAround(fact, missing, isLoss ? 0 : now)];
    const items = this.#emit([...missing, ...(this.#held ?? [])], isLate ? missing : []);
    this.#held = isPartial ? [] : undefined;
    this.#completeTo(newestIn(page.executions), now);
    return [...gaps, ...this.#unreadableGaps(page, now, isFirst), ...items];
  }

  /** The history could not be read: what was pushed is emitted, and {@link bridge} emits the rest when it was. */
  fail(now: number): readonly LiveExecutionItem[] {
    const held = this.#held;
    if (held === undefined) return [];
    if (this.#outage.reason === undefined) this.#outage.begin('unavailable', this.readFrom);
    const fact = this.#outage.report();
    this.#held = undefined;
    return [...(fact === undefined ? [] : [unfilled(fact.reason, fact.from, now)]), ...this.#emit(held)];
  }

  get #lastTime(): number {
    return Math.max(this.readFrom, this.#newest?.time ?? this.readFrom);
  }

  #missingIn({ executions }: ExecutionPage): readonly Execution[] {
    for (const execution of executions) {
      const key = keyOf(execution);
      if (this.#known.has(key)) this.#known.set(key, execution.time);
    }
    return executions.filter(
      (execution) => execution.time >= this.#start && !this.#isKnown(execution) && !this.#isForgotten(execution),
    );
  }

  #isKnown(execution: Execution): boolean {
    return this.#known.has(keyOf(execution));
  }

  /** The exchange may set its clock back: what has a greater number than all was not emitted. */
  #isForgotten({ time, id }: Execution): boolean {
    return time < this.#completeUntil - memoryS && id <= this.#greatestId;
  }

  /** One record that stays unreadable is one gap, and one more in each outage: it may be another record. */
  #unreadableGaps({ unreadable }: ExecutionPage, now: number, isFirst: boolean): readonly LiveGap[] {
    const isMore = unreadable > (isFirst ? 0 : this.#unreadable);
    this.#unreadable = unreadable;
    return isMore ? [unfilled('unreadable', this.readFrom, now)] : [];
  }

  /**
   * Emits each execution once, in their order.
   *
   * @param missed those that are late, because a gap has reported them as missing
   */
  #emit(executions: readonly Execution[], missed: readonly Execution[] = []): readonly LiveExecutionItem[] {
    const late = new Set(missed.map(keyOf));
    const items: LiveExecutionItem[] = [];
    for (const execution of executions.toSorted(compare)) {
      const key = keyOf(execution);
      if (this.#known.has(key)) continue;
      this.#known.set(key, execution.time);
      this.#emitted.push(key);
      this.#greatestId = Math.max(this.#greatestId, execution.id);
      const isOld = this.#newest !== undefined && compare(execution, this.#newest) < 0;
      if (!isOld) this.#newest = execution;
      const from = this.readFrom;
      const emitted = this.#emitted;
      const { length } = emitted;
      items.push({
        ...{ kind: 'execution', execution, late: isOld || late.has(key) },
        get cursor() {
          return { from, emitted: emitted.slice(0, length) };
        },
      });
    }
    return items;
  }

  /** The history up to this time was read: executions long before it come no more. */
  #completeTo(time: number, now: number): void {
    // A record of the future must not make every later execution old.
    const until = Math.min(time, now) - this.#overlapS;
    if (!(until > this.#completeUntil)) return;
    this.#completeUntil = until;
    this.#emitted = this.#emitted.filter((key) => (this.#known.get(key) ?? until) >= until);
    for (const [key, at] of this.#known) if (at < until - memoryS) this.#known.delete(key);
  }
}

/** An execution is identified by its deal and its order: a trade between two orders of the account is one deal. */
function keyOf({ id, order_id }: Execution): string {
  return `${id}/${order_id}`;
}

function compare(one: Execution, other: Execution): number {
  return one.time - other.time || one.id - other.id || one.order_id - other.order_id;
}

function unfilled(reason: LiveGap['reason'], from: number, to: number): LiveGap {
  return gapOf('deals', undefined, { reason, from, filled: false }, to);
}

/** A gap that includes the times of these executions. */
function gapAround(fact: GapFact, executions: readonly Execution[], to: number): LiveGap {
  // Not by spreading: a history may have more items than a call may have arguments.
  const from = executions.reduce((least, { time }) => Math.min(least, time), fact.from);
  return gapOf('deals', undefined, { ...fact, from }, Math.max(to, newestIn(executions)));
}

function newestIn(executions: readonly Execution[]): number {
  return executions.reduce((newest, { time }) => Math.max(newest, time), Number.NEGATIVE_INFINITY);
}
