// A sandbox on a port, and the command that connects to it, in the process of the test.
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { afterAll, onTestFinished } from 'vitest';
import { runInProcess, startInProcess } from './command-in-process.js';
import { environmentOf } from './command.js';

export type Served = Awaited<ReturnType<typeof serve>>;

/** Until the test is over. */
export async function servedForTest(options: SandboxOptions = {}): Promise<Served> {
  const served = await serve(options);
  onTestFinished(() => served.server.close());
  return served;
}

/** Until the tests of the file are over. */
export async function servedForFile(options: SandboxOptions = {}): Promise<Served> {
  const served = await serve(options);
  afterAll(() => served.server.close());
  return served;
}

async function serve(options: SandboxOptions) {
  const sandbox = createSandbox(options);
  const server = await sandbox.listen();
  const environment = environmentOf(server);
  return {
    ...{ sandbox, server, environment },
    run: (...args: readonly string[]) => runInProcess(args, environment),
    start: (...args: readonly string[]) => startInProcess(args, environment),
    /** Starts it where it can ask for confirmation. */
    startOnTerminal: (...args: readonly string[]) => startInProcess(args, environment, { isTerminal: true }),
  };
}
