// A program that serves a sandbox, and reports its memory on request.
import { createSandbox } from '../../src/sandbox/index.js';
import { sendToParent } from '../support/children.js';
import { collectGarbage } from '../support/collect-garbage.js';

export interface Served {
  readonly port: number;
}

export interface Memory {
  /** Bytes in use after garbage collection. */
  readonly used: number;
  /** Maximum number of bytes that the process has used so far. */
  readonly peak: number;
  /** Requests in the ledger. */
  readonly requests: number;
}

const sandbox = createSandbox();
const server = await sandbox.listen();

process.on('message', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const memory: Memory = {
    used: heapUsed + external,
    peak: process.resourceUsage().maxRSS * 1024,
    requests: sandbox.ledger.requests.length,
  };
  sendToParent(memory);
});
process.on('disconnect', () => process.exit());
sendToParent({ port: server.port } satisfies Served);
