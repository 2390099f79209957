// A sandbox on a port, and the environment of a command that connects to it.
import { createSandbox, type Sandbox, type SandboxOptions, type SandboxServer } from 'exchange-rx/sandbox';
import { afterAll, onTestFinished } from 'vitest';
import { environmentOf, type Environment } from './command.js';

export interface Served {
  readonly sandbox: Sandbox;
  readonly server: SandboxServer;
  readonly environment: Environment;
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
  return { sandbox, server, environment: environmentOf(server) };
}
