// The certificate of the live connection is checked, whatever the environment says.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { start } from '../support/children.js';
import { selfSigned } from '../support/self-signed.js';

/** How a process whose environment turns the check off connects to a server with an untrusted certificate. */
async function connecting(): Promise<{ status: string; connections: number }> {
  const https = createServer(selfSigned);
  const server = new WebSocketServer({ server: https });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  // By address: names that other tests look up can occupy this process's resolver for a minute.
  await new Promise<void>((listening) => https.listen(0, '127.0.0.1', listening));
  const { port } = https.address() as AddressInfo;
  const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const child = start(new URL('certificate-program.ts', import.meta.url), { port }, environment);
  onTestFinished(() => {
    child.process.kill('SIGKILL');
    for (const socket of server.clients) socket.terminate();
    https.close();
  });
  const { status } = await child.ask<{ readonly status: string }>();
  return { status, connections };
}

describe('a live connection to a server with an untrusted certificate', { timeout: 60_000 }, () => {
  it('is not made with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    expect(await connecting()).toEqual({ status: 'waiting', connections: 0 });
  });
});
