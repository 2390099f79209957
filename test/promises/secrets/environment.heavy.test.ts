// What the environment of the command may change: certificates that are trusted, and no proxy.
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command.js';
import { newFolder } from '../../recording/folders.js';
import { portOf } from '../../support/raw-server.js';
import { selfSigned } from '../../support/self-signed.js';

let requests = 0;

afterEach(() => {
  requests = 0;
});

const respond: RequestListener = (_request, response) => {
  requests += 1;
  response.end('["pong"]');
};

describe('a server with an untrusted certificate', () => {
  const open = () => portOf(createSecureServer(selfSigned, respond));
  const pinging = (port: number, environment: Readonly<Record<string, string>>, host = 'localhost') =>
    runCommand(['ping', '--base-url', `https://${host}:${port}`], environment);

  it('is not trusted through NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    const { code, stderr } = await pinging(await open(), { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(code).toBe(1);
    expect(stderr).toContain('the server certificate is not trusted');
    expect(requests).toBe(0);
  });

  it('is trusted through NODE_EXTRA_CA_CERTS, for its host names', async () => {
    const folder = newFolder();
    const file = join(folder, 'authority.pem');
    await writeFile(file, selfSigned.cert);
    const port = await open();
    expect(await pinging(port, { NODE_EXTRA_CA_CERTS: file })).toMatchObject({ code: 0, stderr: '' });
    expect(await pinging(port, { NODE_EXTRA_CA_CERTS: file }, '127.0.0.1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') as string,
    });
  });
});

it('proxies of the environment are not used', async () => {
  const proxy = createServer(respond).on('connect', (_request, socket) => {
    requests += 1;
    socket.destroy();
  });
  const proxyUrl = `http://127.0.0.1:${await portOf(proxy)}`;
  const baseUrl = `http://127.0.0.1:${await portOf(createServer((_request, response) => response.end('["pong"]')))}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map(
    (name) => [name, proxyUrl] as const,
  );
  const proxies: Record<string, string> = Object.fromEntries(names);
  // Node 22 warns about the variable that enables them.
  expect(
    await runCommand(['ping', '--base-url', baseUrl], {
      ...proxies,
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY: '',
      no_proxy: '',
    }),
  ).toMatchObject({ code: 0 });
  expect(requests).toBe(0);
});
