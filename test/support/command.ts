// The built command `exchange-rx` as a process, as a shell runs it: without credentials but those of the test, and with an
// empty home directory.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SandboxServer } from 'exchange-rx/sandbox';

export interface Ended {
  /** An exit code, or the signal that ended the program. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  /** Resolves to the matching text once the command has written it to either output; rejects when it ends before. */
  wrote(expected: RegExp | string): Promise<string>;
  /** Sends the signal of Ctrl-C. */
  interrupt(): void;
  /** Types a line. */
  type(line: string): void;
  /** Closes the reading end of this output. */
  closePipe(output?: 'stdout' | 'stderr'): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export const commandFile = resolve(import.meta.dirname, '../../dist/cli/main.js');
/** The program of `npm start`. */
export const demoFile = resolve(import.meta.dirname, '../../dist/cli/demo.js');
export const emptyHome = mkdtempSync(join(tmpdir(), 'exchange-rx-home-'));
process.once('exit', () => {
  rmSync(emptyHome, { recursive: true, force: true });
});

export type Environment = Readonly<Record<string, string>>;

/** Where programs write their coverage for `npm run coverage`. */
export const programCoverage = process.env['PROGRAM_COVERAGE'];
const measured: Environment = programCoverage === undefined ? {} : { NODE_V8_COVERAGE: resolve(programCoverage) };

function environmentWith(environment: Environment): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: emptyHome, ...measured, ...environment };
}

/** Starts the built command, or another file. */
export function startCommand(
  words: readonly string[],
  environment: Environment = {},
  file = commandFile,
): RunningCommand {
  return follow(spawn(process.execPath, [file, ...words], { env: environmentWith(environment) }));
}

export const terminalSize = { cols: 100, rows: 40 };

/** Starts it, or another file, on a terminal. Its output is one stream, with the terminal's echo. */
export function startOnTerminal(
  words: readonly string[],
  environment: Environment = {},
  file = commandFile,
  { cols, rows } = terminalSize,
): RunningCommand {
  const size = ['columns', String(cols), 'rows', String(rows)];
  const line = ['stty', ...size, '&&', 'exec', ...[process.execPath, file, ...words].map((word) => `'${word}'`)].join(
    ' ',
  );
  const env = environmentWith({ TERM: 'xterm-256color', ...environment });
  return follow(spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], { env }));
}

export function runCommand(words: readonly string[], environment: Environment = {}): Promise<Ended> {
  return startCommand(words, environment).ended;
}

export function environmentOf(server: SandboxServer): Environment {
  const { baseUrl, credentials } = server.clientOptions();
  return {
    EXCHANGE_BASE_URL: baseUrl,
    EXCHANGE_API_KEY: credentials.apiKey,
    EXCHANGE_API_SECRET: credentials.apiSecret,
  };
}

/** Processes that a failed test left behind end with the test process. */
const running = new Set<ChildProcessWithoutNullStreams>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function follow(child: ChildProcessWithoutNullStreams): RunningCommand {
  running.add(child);
  let stdout = '';
  let stderr = '';
  // A chunk may end inside a character.
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const ended = new Promise<Ended>((end, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      running.delete(child);
      end({ code: code ?? signal, stdout, stderr });
    });
  });
  return {
    ended,
    wrote: waitingFor(
      () => stdout + stderr,
      ended,
      (look) => {
        child.stdout.on('data', look);
        child.stderr.on('data', look);
      },
    ),
    interrupt: () => {
      child.kill('SIGINT');
    },
    type: (line) => {
      child.stdin.write(`${line}\r`);
    },
    closePipe: (output = 'stdout') => {
      child[output].destroy();
    },
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

/** Waits for a text in both outputs of a command; `onWrite` registers what looks for it after each write. */
export function waitingFor(
  written: () => string,
  ended: Promise<Ended>,
  onWrite: (look: () => void) => void,
): RunningCommand['wrote'] {
  return (expected) =>
    new Promise((found, missed) => {
      const look = () => {
        const text = textIn(written(), expected);
        if (text !== undefined) found(text);
      };
      onWrite(look);
      look();
      ended.then(({ code }) => {
        missed(new Error(`ended with ${code} and never wrote ${String(expected)}: ${written()}`));
      }, missed);
    });
}

function textIn(output: string, expected: RegExp | string): string | undefined {
  if (typeof expected !== 'string') return expected.exec(output)?.[0];
  return output.includes(expected) ? expected : undefined;
}
