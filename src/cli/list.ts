// How a verb prints a list: a table at its end, or a JSON line for each record as it is read; meanwhile its progress.
import { defer, finalize, map, tap, toArray, type MonoTypeOperatorFunction, type Observable } from 'rxjs';
import type { VerbContext } from './runner.js';
import { formatAge, table, text, type Column, type Output, type SafeText, type Terminal } from './terminal/index.js';

export interface ListTexts {
  readonly empty: SafeText;
  readonly max?: number;
}

interface ListContext extends Pick<VerbContext, 'json'> {
  readonly terminal: Pick<Terminal, 'showProgress' | 'log' | 'columns' | 'canRedraw'>;
}

export function printList<Row extends object>(
  { terminal, json }: ListContext,
  rows$: Observable<Row>,
  columns: readonly Column<Row>[],
  { empty, max }: ListTexts,
): Observable<Output> {
  // On one terminal, the lines of JSON and those of the progress would overwrite each other.
  const progress = json && terminal.canRedraw ? undefined : terminal.showProgress;
  const read$ = rows$.pipe(counted(progress, terminal.log, max));
  if (json) return read$.pipe(map((data) => ({ text: text``, data })));
  return read$.pipe(
    toArray(),
    map((rows) => ({ text: rows.length === 0 ? empty : table(rows, columns, terminal.columns()), data: rows })),
  );
}

/** A list that takes no longer shows no progress. */
const quietMs = 500;
const barWidth = 24;

/** Shows the number of records that were read, and notes when the list has its maximum. */
function counted<Row>(
  show: Terminal['showProgress'],
  log: Terminal['log'],
  max: number | undefined,
): MonoTypeOperatorFunction<Row> {
  return (rows$) =>
    defer(() => {
      const startedAt = Date.now();
      let count = 0;
      let shownAt = startedAt + quietMs;
      const next = () => {
        count += 1;
        const now = Date.now();
        if (show === undefined || now - shownAt < 100) return;
        shownAt = now;
        show(progressLine(count, max, now - startedAt));
      };
      const complete = () => {
        if (count === max) log(text`Stopped at --max ${max}: the list may be longer.`);
      };
      return rows$.pipe(
        tap({ next, complete }),
        finalize(() => show?.(undefined)),
      );
    });
}

export function progressLine(count: number, max: number | undefined, elapsedMs: number): SafeText {
  if (max === undefined) return text`${count} read`;
  const share = Math.min(1, count / max);
  const filled = Math.round(share * barWidth);
  const leftSeconds = Math.ceil((elapsedMs * (1 / share - 1)) / 1000);
  return text`${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${count} of at most ${max}, at most ${formatAge(leftSeconds)} left`;
}
