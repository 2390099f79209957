// The examples of docs/examples as a user runs them: in a project folder that has the built package among its
// dependencies.
import { transformSync } from 'esbuild';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi, type TestContext } from 'vitest';
import { environmentOf } from './command.js';
import { root, textOf } from './documents.js';

const folder = join(root, 'docs/examples');

export const exampleFiles = readdirSync(folder).filter((file) => file.endsWith('.ts'));

export type Project = ReturnType<typeof createProject>;

/** Makes a project folder, of the type that `npm init` writes. */
export function createProject() {
  const project = mkdtempSync(join(tmpdir(), 'exchange-rx-examples-'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'bot', private: true, type: 'commonjs' }));
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules/exchange-rx'));
  for (const name of ['rxjs', 'pino', 'prom-client'])
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  const compiled = (file: string) => join(project, file.replace('.ts', '.js'));
  // Compiled here: a loader would cost each program more than its start.
  const write = (file: string, code: string) => {
    writeFileSync(compiled(file), transformSync(code, { loader: 'ts', format: 'cjs' }).code);
  };
  for (const file of exampleFiles) write(file, textOf(`docs/examples/${file}`));
  const children = new Set<ChildProcess>();
  return {
    folder: project,
    write,
    start(
      file: string,
      { words = [], env = {} }: { readonly words?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
    ) {
      const child = spawn(process.execPath, [compiled(file), ...words], {
        cwd: project,
        env: { ...process.env, ...env },
      });
      children.add(child);
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => (stdout += String(chunk)));
      child.stderr.on('data', (chunk) => (stderr += String(chunk)));
      const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => ({
        /** `0`, another exit code, or the signal that ended the program. */
        status: code ?? signal ?? '',
        stdout,
        stderr,
      }));
      /** `stdout`: what the program has printed so far. */
      return { process: child, stdout: () => stdout, ended };
    },
    /** Kills the programs that are still running, and removes the folder. */
    remove() {
      for (const child of children) child.kill('SIGKILL');
      rmSync(project, { recursive: true });
    },
  };
}

/** A project, and the exchange of its programs on a port, which outlives them: for one test. */
export async function projectOnExchange({ onTestFinished }: TestContext, options: SandboxOptions = {}) {
  const project = createProject();
  const sandbox = createSandbox({ volatility: 0, ...options });
  const server = await sandbox.listen();
  onTestFinished(async () => {
    await server.close();
    project.remove();
  });
  return {
    sandbox,
    journal: join(project.folder, 'journal'),
    start: (file: string, words: readonly string[] = [], more: NodeJS.ProcessEnv = {}) =>
      project.start(file, { words, env: { ...environmentOf(server), ...more } }),
    /** How many requests of a path have arrived. */
    requests: (path: string) => sandbox.ledger.requests.filter((request) => request.path === path).length,
  };
}

export const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 2 });

export async function kill(program: ReturnType<Project['start']>, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  program.process.kill(signal);
  await program.ended;
}
