// How a command meets its user: what it prints, what it asks, and how it is ended.
import logUpdate from 'log-update';
import { createInterface } from 'node:readline';
import { fromEvent, merge, Observable, share, throttleTime } from 'rxjs';
import { isExchangeError, isUndecided } from '../errors/index.js';
import { Interrupted } from './exit-codes.js';
import type { Report } from './report.js';
import { colorsOf, jsonLine, shown, text, type Colors, type Text } from './text.js';

/** The user's side of a command. */
export interface Terminal {
  /** Writes what a command says: to the standard output, as text or as a line of JSON. */
  readonly print: (report: Report, json: boolean) => void;
  /** Says something beside the output: to the standard error. */
  readonly say: (text: Text) => void;
  /** Asks, and waits for the answer; `undefined` when there is nobody to ask. */
  readonly ask: ((question: Text) => Observable<boolean>) | undefined;
  readonly colors: Colors;
  /** Whether what is shown can be drawn over. */
  readonly canRedraw: boolean;
  /** Ctrl-C, or a request to end. Hot. */
  readonly interrupts$: Observable<unknown>;
  /** Nobody reads the output any more. Hot. */
  readonly pipeClosed$: Observable<unknown>;
}

/** The terminal of this process, or of what a test gives in its place. */
export function processTerminal({
  stdin,
  stdout,
  stderr,
  env,
}: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'> = process): Terminal {
  // An order is followed to its end though nobody reads what became of it; everything else ends by `pipeClosed$`.
  for (const output of [stdout, stderr]) output.on('error', () => undefined);
  const canRedraw = stdout.isTTY && stdout.columns > 0 && env['TERM'] !== 'dumb';
  return {
    print(report, json) {
      stdout.write(`${json ? jsonLine(report.data) : report.text.written}\n`);
    },
    say({ written }) {
      stderr.write(`${written}\n`);
    },
    ask: stdin.isTTY ? askOn(stdin, stderr) : undefined,
    colors: colorsOf(canRedraw && (env['NO_COLOR'] ?? '') === ''),
    canRedraw,
    interrupts$: merge(...['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => fromEvent(process, signal))).pipe(
      throttleTime(oneKeyPressMs),
      share(),
    ),
    pipeClosed$: fromEvent(stdout, 'error').pipe(share()),
  };
}

/** Writes a line to the standard output. */
export function writeLine({ written }: Text): void {
  process.stdout.write(`${written}\n`);
}

/** Draws over what was drawn before, on the standard output. */
export function draw({ written }: Text): void {
  logUpdate(written);
}

/** Leaves standing what was drawn. */
export function finishDrawing(): void {
  logUpdate.done();
}

/** A refusal that names what is wrong with each parameter is longer than a value may be; a screen has room for it. */
const maxMessageLength = 1000;

/** What a person is told of an error. */
export function describe(error: unknown): Text {
  const message = shown(error instanceof Error ? error.message : String(error), maxMessageLength);
  if (!isExchangeError(error) || error.client_order_id === undefined || error.outcome === 'none') return message;
  const fate = isUndecided(error) ? text`whether it was placed is not known` : text`it was not placed`;
  return text`${message}\nOrder ${error.client_order_id}: ${fate}.`;
}

/** npm passes on the Ctrl-C that the terminal has sent already: two within this time are one. */
const oneKeyPressMs = 500;

function askOn(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
  return (question: Text): Observable<boolean> =>
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
      lines.question(text`${question} [y/N] `.written, (line) => {
        answer(/^y(es)?$/i.test(line.trim()));
      });
      return () => {
        lines.close();
      };
    });
}
