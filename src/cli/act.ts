// How a verb changes something: a confirmation that names what will happen, then the change, which Ctrl-C does not leave
// half done.
import { concatMap, EMPTY, map, mergeMap, of, take, takeUntil, throwError, type Observable } from 'rxjs';
import { Option, type Command } from 'commander';
import { exitCodes, UsageError } from './exit-codes.js';
import type { VerbContext } from './runner.js';
import { text, type Output, type SafeText, type Terminal } from './terminal/index.js';

export interface ActOptions {
  readonly yes?: boolean;
}

export interface Act {
  /** What will happen, as a question: `Cancel order 7: buy 0.01 BTC_USDT at 50000`. */
  readonly question: SafeText;
  /** For the hint to pass `--yes`: `cancel the order`. */
  readonly verb: string;
  /** What is so when the user declines: `Order not canceled`. */
  readonly declined: string;
  readonly subject: string;
  /** What to do when the outcome is unknown, after `Stopped waiting: `. */
  readonly whenUnknown: string;
  readonly perform: () => Observable<Output>;
}

export function confirmed(command: Command, verb: string): Command {
  return command.addOption(new Option('-y, --yes', `${verb} without confirmation`));
}

/** Asks for confirmation unless `yes`, and performs the change. The first value of `act$` is what will happen. */
export function perform(context: VerbContext, act$: Observable<Act>, { yes = false }: ActOptions): Observable<Output> {
  return act$.pipe(
    concatMap((act) => (yes ? of(act) : confirm(context, act))),
    take(1),
    takeUntil(context.interrupted$),
    concatMap((act) => act.perform().pipe(takeUntil(secondInterrupt(context.terminal, act)))),
  );
}

function confirm({ terminal, baseUrl }: VerbContext, act: Act): Observable<Act> {
  const { question, verb, declined } = act;
  if (terminal.confirm === undefined)
    return throwError(() => new UsageError(`stdin is not a terminal: pass --yes to ${verb} without confirmation`));
  return terminal.confirm(text`${question} on ${baseUrl}?`).pipe(
    map((isConfirmed) => {
      if (!isConfirmed) throw new UsageError(`${declined}: you did not confirm it.`, exitCodes.failed);
      return act;
    }),
  );
}

/** The first Ctrl-C waits for the outcome of what is in flight; the second fails with the outcome unknown. */
function secondInterrupt({ interrupts$, log }: Terminal, { subject, whenUnknown }: Act): Observable<never> {
  return interrupts$.pipe(
    mergeMap((_, count) => {
      if (count > 0) return throwError(() => new UsageError(`Stopped waiting: ${whenUnknown}`, exitCodes.unknown));
      log(text`${subject} is in flight. Waiting for its outcome; Ctrl-C again stops waiting.`);
      return EMPTY;
    }),
  );
}
