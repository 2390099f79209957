// The command's side of its terminal: output, questions, signals. The only file that writes to stdout and stderr.
import type { OutputConfiguration } from 'commander';
import { createLogUpdate } from 'log-update';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import {
  finalize,
  fromEvent,
  fromEventPattern,
  ignoreElements,
  merge,
  mergeMap,
  Observable,
  share,
  Subject,
  tap,
  throttle,
  timer,
} from 'rxjs';
import { isExchangeError, isUndecided } from '../../errors/index.js';
import { Interrupted } from '../exit-codes.js';
import { createColors, escape, escapeLines, text, toJsonLine, type Colors, type SafeText } from './safe-text.js';

export interface Output {
  readonly text: SafeText;
  readonly data: object;
}

export interface Terminal {
  readonly print: (output: Output, json: boolean) => void;
  readonly writeLine: (line: SafeText) => void;
  readonly log: (message: SafeText) => void;
  /** Draws each screen on stdout over the previous one; the last one stays. */
  readonly drawEach: (screens$: Observable<SafeText>) => Observable<never>;
  /** Draws a line on stderr over the previous one; `undefined` clears it. Absent when stderr is not a terminal. */
  readonly showProgress: ((line: SafeText | undefined) => void) | undefined;
  /** The keys that are pressed, without Enter; `undefined` when stdin or stdout is not a terminal. Cold. */
  readonly keys$: Observable<string> | undefined;
  readonly confirm: ((question: SafeText) => Observable<boolean>) | undefined;
  readonly colors: Colors;
  readonly canRedraw: boolean;
  readonly columns: () => number | undefined;
  /** Ctrl-C, SIGTERM, SIGHUP. Hot. */
  readonly interrupts$: Observable<unknown>;
  /** The reader of stdout has closed the pipe. Hot. */
  readonly pipeClosed$: Observable<unknown>;
  readonly usage: OutputConfiguration;
}

export interface HostProcess {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  addListener(signal: NodeJS.Signals, listener: () => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: () => void): unknown;
}

const interruptSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * npm forwards the Ctrl-C that the terminal has already sent to the command: two within this time are one. A process that
 * was blocked for longer runs its timers before it reads signals, so the time ends one turn of the event loop later.
 */
const oneKeyPressMs = 500;

export function createTerminal(host: HostProcess): Terminal {
  const { stdin, stdout, stderr, env } = host;
  // An order is placed to its end although its result has no reader; all other verbs end by `pipeClosed$`.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  const canRedraw = stdout.isTTY === true && (stdout.columns ?? 0) > 0 && env['TERM'] !== 'dumb';
  const writeLine = ({ value }: SafeText) => {
    stdout.write(`${value}\n`);
  };
  const screen = createLogUpdate(stdout);
  const progress = createLogUpdate(stderr);
  const pressedInterrupts = new Subject<void>();
  const signals = interruptSignals.map((signal) =>
    fromEventPattern(
      (listener) => host.addListener(signal, listener),
      (listener) => host.removeListener(signal, listener),
    ),
  );
  return {
    writeLine,
    print(output, json) {
      if (json) stdout.write(`${toJsonLine(output.data)}\n`);
      else writeLine(output.text);
    },
    log({ value }) {
      stderr.write(`${value}\n`);
    },
    drawEach: (screens$) =>
      screens$.pipe(
        tap(({ value }) => {
          screen(value);
        }),
        finalize(() => {
          screen.done();
        }),
        ignoreElements(),
      ),
    showProgress:
      stderr.isTTY === true && env['TERM'] !== 'dumb'
        ? (line) => {
            if (line === undefined) progress.clear();
            else progress(line.value);
          }
        : undefined,
    keys$: canRedraw && stdin.isTTY === true ? keysOf(stdin, pressedInterrupts) : undefined,
    confirm: stdin.isTTY === true ? confirmOn(stdin, stderr) : undefined,
    colors: createColors(canRedraw && (env['NO_COLOR'] ?? '') === ''),
    canRedraw,
    columns: () => (canRedraw ? stdout.columns : undefined),
    interrupts$: merge(pressedInterrupts, ...signals).pipe(
      throttle(() => timer(oneKeyPressMs).pipe(mergeMap(() => setImmediate()))),
      share(),
    ),
    pipeClosed$: fromEvent(stdout, 'error').pipe(share()),
    usage: {
      writeOut: (help) => stdout.write(help),
      writeErr: (message) => stderr.write(message),
      outputError: (message, write) => {
        write(escapeLines(withoutUnknownValue(message)));
      },
    },
  };
}

/** The keys that are pressed. A terminal that reports each key makes no signal of Ctrl-C: it is a key, too. */
function keysOf(stdin: HostProcess['stdin'], interrupts: Subject<void>): Observable<string> {
  return new Observable((subscriber) => {
    const listener = (chunk: Buffer | string) => {
      for (const key of String(chunk)) {
        if (key === '\u0003') interrupts.next();
        else subscriber.next(key);
      }
    };
    stdin.setRawMode?.(true);
    stdin.on('data', listener);
    return () => {
      stdin.off('data', listener);
      stdin.setRawMode?.(false);
      // An input that is read keeps the process alive.
      stdin.pause();
    };
  });
}

/** What follows an unknown option may be a key: the message does not quote it. */
function withoutUnknownValue(message: string): string {
  return message.replace(/(unknown option '(?:--[a-z-]*|-[a-z]?))[^\n]*(?=')/i, '$1');
}

/** Characters of an error message: a rejection names the problem of each parameter, which a screen has room for. */
const maxMessageLength = 1000;

export function describeError(error: unknown): SafeText {
  const message = escape(error instanceof Error ? error.message : String(error), maxMessageLength);
  if (!isExchangeError(error) || error.client_order_id === undefined || error.outcome === 'none') return message;
  const outcome = isUndecided(error)
    ? 'outcome unknown. Look it up with "exchange-rx order find" before you place another order.'
    : 'not placed.';
  return text`${message}\nOrder ${error.client_order_id}: ${outcome}`;
}

function confirmOn(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
  return (question: SafeText): Observable<boolean> =>
    new Observable((subscriber) => {
      const lines = createInterface({ input, output });
      const emit = (isConfirmed: boolean) => {
        subscriber.next(isConfirmed);
        subscriber.complete();
      };
      lines.once('SIGINT', () => {
        subscriber.error(new Interrupted());
      });
      lines.once('close', () => {
        emit(false);
      });
      lines.question(text`${question} [y/N] `.value, (line) => {
        emit(/^y(es)?$/i.test(line.trim()));
      });
      return () => {
        lines.close();
      };
    });
}
