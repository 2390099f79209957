// The command `exchange-rx` as a process of its own, as a shell would run it: no credentials but those it is given, a
// home that is empty.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SandboxServer } from 'exchange-rx/sandbox';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  /** Resolves to what it has written of this, once it has, to either output; rejects when it ends before. */
  wrote(expected: RegExp | string): Promise<string>;
  /** Sends what Ctrl-C sends. */
  interrupt(): void;
  /** Types a line. */
  type(line: string): void;
  /** Nobody reads this output any more. */
  closePipe(output?: 'stdout' | 'stderr'): void;
  /** Sends it a signal. */
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export const commandFile = resolve(import.meta.dirname, '../../dist/cli/main.js');
/** What `npm start` runs. */
export const demoFile = resolve(import.meta.dirname, '../../dist/cli/demo.js');
export const emptyHome = mkdtempSync(join(tmpdir(), 'exchange-rx-home-'));

export type Environment = Readonly<Record<string, string>>;

/** Where `npm run coverage` has programs write which branches they took. */
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

/** Starts it, or another file, on a terminal: what it writes is one stream, with what the terminal echoes. */
export function startOnTerminal(
  words: readonly string[],
  environment: Environment = {},
  file = commandFile,
): RunningCommand {
  const size = ['columns', String(terminalSize.cols), 'rows', String(terminalSize.rows)];
  const line = ['stty', ...size, '&&', 'exec', ...[process.execPath, file, ...words].map((word) => `'${word}'`)].join(
    ' ',
  );
  const env = environmentWith({ TERM: 'xterm-256color', ...environment });
  return follow(spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], { env }));
}

/** Runs it to its end. */
export function runCommand(words: readonly string[], environment: Environment = {}): Promise<Ended> {
  return startCommand(words, environment).ended;
}

/** What the environment says of a sandbox that is served. */
export function environmentOf(server: SandboxServer): Environment {
  const { baseUrl, credentials } = server.clientOptions();
  return {
    EXCHANGE_BASE_URL: baseUrl,
    EXCHANGE_API_KEY: credentials.apiKey,
    EXCHANGE_API_SECRET: credentials.apiSecret,
  };
}

/** Those that a test which failed has left behind end with it. */
const running = new Set<ChildProcessWithoutNullStreams>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function follow(child: ChildProcessWithoutNullStreams): RunningCommand {
  running.add(child);
  let stdout = '';
  let stderr = '';
  // A character may come in two parts.
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const ended = new Promise<Ended>((end, fail) => {
    child.on('error', fail);
    child.on('close', (code) => {
      running.delete(child);
      end({ code, stdout, stderr });
    });
  });
  return {
    ended,
    wrote: (expected) =>
      new Promise((found, missed) => {
        const look = () => {
          const text = textIn(stdout + stderr, expected);
          if (text !== undefined) found(text);
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        look();
        ended.then(({ code }) => {
          missed(new Error(`it ended with ${code} and never wrote ${String(expected)}: ${stdout}${stderr}`));
        }, missed);
      }),
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

function textIn(output: string, expected: RegExp | string): string | undefined {
  if (typeof expected !== 'string') return expected.exec(output)?.[0];
  return output.includes(expected) ? expected : undefined;
}
