// `live.my.executions`: each subscriber has every execution once, by pushes and, where some may be missing, the history.
import { catchError, Observable, of, switchMap, tap, throwError } from 'rxjs';
import * as v from 'valibot';
import { optionsOf, parse, rule, unquoted } from '../../errors/index.js';
import type { Execution, ExecutionCursor, ExecutionPage, LiveExecutionItem } from '../../model/deal.js';
import { everyKey, type Interruption, type KeySubscriptions } from '../channel.js';
import { isLasting } from '../connection/index.js';
import { Recovery, type ReadKind } from '../recovery/index.js';
import type { Account } from './account.js';
import { readHistory } from './execution-history.js';
import { ExecutionSequence } from './execution-sequence.js';

/** Parameters of {@link My.executions}. */
export interface ExecutionsParams {
  /**
   * From where on: a time of the exchange, Unix seconds, or the `cursor` of the last execution that the program has had.
   * At most 6 months ago. Default: the first confirmation of the subscription.
   */
  readonly since?: number | ExecutionCursor | undefined;
}

/** A time further ahead was given in milliseconds, and would drop every execution. */
const maxAheadS = 86_400;
/** The exchange keeps deals for this long. */
const keptMonths = 6;
/** A read must not begin before the bound of the exchange, which moves while it is sent. */
const marginS = 60;
const auditMs = 60_000;
/** A push may come this much later than the history lists its execution. */
const pushLagMs = 2000;

const aTime = v.pipe(
  rule<number>((value) => typeof value === 'number' && value <= nowS() + maxAheadS, 'must be Unix seconds'),
  v.check(
    (value) => value >= historyBeginsAt(),
    ({ input }) => `${input} must be at most 6 months ago`,
  ),
);
const someKeys = unquoted<readonly string[]>(
  (value) => Array.isArray(value) && value.every((key) => typeof key === 'string'),
  'must be the executions of a cursor',
);
const aCursor = optionsOf<ExecutionCursor>({ from: aTime, emitted: someKeys }, ['from', 'emitted']);
const executionsParams = optionsOf<ExecutionsParams>({
  since: v.lazy((value) => (typeof value === 'number' ? aTime : aCursor)),
});

export function executionStream(
  { readExecutions, readTime, random, historyLagMs, reportGap }: Account,
  subscriptions: KeySubscriptions<Execution>,
  params: ExecutionsParams = {},
): Observable<LiveExecutionItem> {
  const { since } = parse('live.my.executions', executionsParams, params);
  return new Observable((subscriber) => {
    const sequence = new ExecutionSequence(since, nowS(), historyLagMs / 1000);
    let isStartKnown = since !== undefined;
    const emit = (items: readonly LiveExecutionItem[]) => {
      for (const item of items) {
        // The subscriber may leave within an item.
        if (subscriber.closed) return;
        if (item.kind === 'gap') reportGap(item);
        subscriber.next(item);
      }
    };
    /** The clock of this machine may be wrong: by it, executions would be missing. */
    const start = () =>
      isStartKnown
        ? of(undefined)
        : readTime().pipe(
            // An exchange that does not say its time: by the clock of this machine.
            catchError((error: unknown) => (isLasting(error) ? of(undefined) : throwError(() => error))),
            tap((time) => {
              isStartKnown = true;
              const ageS = (performance.now() - recovery.beganAt) / 1000;
              if (time !== undefined) sequence.beginAt(time - ageS);
            }),
          );
    const data = {
      interrupt(reason: Interruption) {
        emit(sequence.interrupt(reason, nowS()));
      },
      read() {
        return start().pipe(
          switchMap(() => readHistory(readExecutions, Math.max(sequence.readFrom, historyBeginsAt() + marginS))),
        );
      },
      bridge(page: ExecutionPage, kind: ReadKind) {
        emit(sequence.bridge(page, kind, nowS()));
        return true;
      },
      fail() {
        emit(sequence.fail(nowS()));
      },
    };
    const options = { random, historyLagMs, pushLagMs, auditAfterMs: () => auditMs, isReadOffline: true };
    const recovery = new Recovery<ExecutionPage>(subscriber, data, options);
    recovery.follow(subscriptions, everyKey, (execution) => {
      emit(sequence.push(execution));
    });
  });
}

function historyBeginsAt(): number {
  const date = new Date();
  date.setUTCMonth(date.getUTCMonth() - keptMonths);
  return date.getTime() / 1000;
}

function nowS(): number {
  return Date.now() / 1000;
}
