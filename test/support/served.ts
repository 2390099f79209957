// A sandbox on a port, and the command that connects to it, in the process of the test.
import { createSandbox, type Sandbox, type SandboxOptions, type SandboxServer } from 'exchange-rx/sandbox';
import { afterAll, onTestFinished } from 'vitest';
import { runInProcess, startInProcess } from './command-in-process.js';
import { environmentOf, type Ended, type Environment, type RunningCommand } from './command.js';

export interface Served {
  readonly sandbox: Sandbox;
  readonly server: SandboxServer;
  readonly environment: Environment;
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  readonly start: (...args: readonly string[]) => RunningCommand;
  /** Starts it where it can ask for confirmation. */
  readonly startOnTerminal: (...args: readonly string[]) => RunningCommand;
}

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

async function serve(options: SandboxOptions): Promise<Served> {
  const sandbox = createSandbox(options);
  const server = await sandbox.listen();
  const environment = environmentOf(server);
  return {
    ...{ sandbox, server, environment },
    run: (...args) => runInProcess(args, environment),
    start: (...args) => startInProcess(args, environment),
    startOnTerminal: (...args) => startInProcess(args, environment, { isTerminal: true }),
  };
}
