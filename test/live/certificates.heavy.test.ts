// The certificate of the live connection is checked, whatever the environment says.
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { start } from '../support/children.js';
import { openProxy } from '../support/proxy.js';
import { portOf } from '../support/raw-server.js';
import { selfSigned } from '../support/self-signed.js';

const trusted = join(tmpdir(), `exchange-rx-${process.pid}.pem`);
writeFileSync(trusted, selfSigned.cert);
afterAll(() => {
  rmSync(trusted);
});

/** How a process with this environment connects to a server whose certificate is its own. */
async function connecting(environment: NodeJS.ProcessEnv, isProxied: boolean) {
  const https = createServer(selfSigned);
  const server = new WebSocketServer({ server: https });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  // By address: names that other tests look up can occupy this process's resolver for a minute.
  const port = await portOf(https);
  const proxy = await openProxy();
  const options = isProxied ? { port, proxy: `http://${proxy.host}` } : { port };
  const child = start(new URL('certificate-program.ts', import.meta.url), options, environment);
  onTestFinished(() => {
    child.process.kill('SIGKILL');
    return proxy.close();
  });
  const { status } = await child.ask<{ readonly status: string }>();
  return { status, connections };
}

const ignored = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

describe.each([
  ['a live connection', false],
  ['a live connection through a proxy', true],
])('%s', { timeout: 60_000 }, (_, isProxied) => {
  it('is not made to a server with an untrusted certificate, with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    expect(await connecting(ignored, isProxied)).toEqual({ status: 'waiting', connections: 0 });
  });

  it('is made to a server with a trusted certificate', async () => {
    expect(await connecting({ NODE_EXTRA_CA_CERTS: trusted }, isProxied)).toEqual({ status: 'open', connections: 1 });
  });
});
