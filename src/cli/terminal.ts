// How a command meets its user: what it prints, what it asks, and how it is ended.
import { createInterface } from 'node:readline';
import { createColors } from 'picocolors';
import { fromEvent, merge, Observable, share, throttleTime } from 'rxjs';
import { Interrupted } from './exit-codes.js';
import type { Colors, Report } from './report.js';

/** The user's side of a command. */
export interface Terminal {
  /** Writes what a command says: to the standard output, as text or as a line of JSON. */
  readonly print: (report: Report, json: boolean) => void;
  /** Says something beside the output: to the standard error. */
  readonly say: (text: string) => void;
  /** Asks, and waits for the answer; `undefined` when there is nobody to ask. */
  readonly ask: ((question: string) => Observable<boolean>) | undefined;
  readonly colors: Colors;
  /** Whether what is shown can be drawn over. */
  readonly canRedraw: boolean;
  /** Ctrl-C, or a request to end. Hot. */
  readonly interrupts$: Observable<unknown>;
  /** Nobody reads the output any more. Hot. */
  readonly pipeClosed$: Observable<unknown>;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  // An order is followed to its end though nobody reads what became of it; everything else ends by `pipeClosed$`.
  for (const output of [stdout, stderr]) output.on('error', () => undefined);
  const canRedraw = stdout.isTTY && stdout.columns > 0 && env['TERM'] !== 'dumb';
  return {
    print({ text, data }, json) {
      stdout.write(`${json ? JSON.stringify(data) : text}\n`);
    },
    say(text) {
      stderr.write(`${text}\n`);
    },
    ask: stdin.isTTY ? askOn(stdin, stderr) : undefined,
    colors: createColors(canRedraw && (env['NO_COLOR'] ?? '') === ''),
    canRedraw,
    interrupts$: merge(...['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => fromEvent(process, signal))).pipe(throttleTime(oneKeyPressMs), share()),
    pipeClosed$: fromEvent(stdout, 'error').pipe(share()),
  };
}

/** npm passes on the Ctrl-C that the terminal has sent already: two within this time are one. */
const oneKeyPressMs = 500;

function askOn(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
  return (question: string): Observable<boolean> =>
    new Observable((subscriber) => {
      const lines = createInterface({ input, output });
      const answer = (yes: boolean) => {
        subscriber.next(yes);
        subscriber.complete();
      };
      lines.once('SIGINT', () => {
        subscriber.error(new Interrupted());
      });
      lines.once('close', () => {
        answer(false);
      });
      lines.question(`${question} [y/N] `, (text) => {
        answer(/^y(es)?$/i.test(text.trim()));
      });
      return () => {
        lines.close();
      };
    });
}
