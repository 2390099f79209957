// The examples of docs/examples as a user runs them: in a project folder that has the built package among its
// dependencies.
import { transformSync } from 'esbuild';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi, type TestContext } from 'vitest';
import { environmentOf, follow, type RunningCommand } from './command.js';
import { root, textOf } from './documents.js';
import { folderOfTests } from './folders.js';

export const exampleFiles = readdirSync(join(root, 'docs/examples')).filter((file) => file.endsWith('.ts'));

/** Makes a project folder, of the type that `npm init` writes, for the tests of a file or of a `describe`. */
export function createProject() {
  const project = folderOfTests();
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
  const start = (file: string, env: NodeJS.ProcessEnv = {}, words: readonly string[] = []) =>
    follow(spawn(process.execPath, [compiled(file), ...words], { cwd: project, env: { ...process.env, ...env } }));
  let journals = 0;

  /** An exchange on a port, which outlives its programs: for one test. They get the path of one journal. */
  async function onExchange({ onTestFinished }: TestContext, options: SandboxOptions = {}) {
    const sandbox = createSandbox({ volatility: 0, ...options });
    const server = await sandbox.listen();
    onTestFinished(() => server.close());
    const journal = join(project, `journal-${(journals += 1)}`);
    /** How many requests of a path have arrived. */
    const requests = (path: string) => sandbox.ledger.requests.filter((request) => request.path === path).length;
    const startOnExchange = (file: string, env: NodeJS.ProcessEnv = {}) => {
      const program = start(file, { ...environmentOf(server), ...env }, [journal]);
      onTestFinished(() => kill(program));
      return program;
    };
    /** Starts a program, and kills it when this number of its requests to a path has arrived. */
    const killAtRequest = async (file: string, path: string, count = 1, env: NodeJS.ProcessEnv = {}) => {
      const program = startOnExchange(file, env);
      await until(() => requests(path) === count);
      await kill(program);
    };
    return { sandbox, journal, requests, start: startOnExchange, killAtRequest };
  }
  return { write, start, onExchange };
}

export const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 2 });

export async function kill(program: RunningCommand): Promise<void> {
  program.kill('SIGKILL');
  await program.ended;
}
