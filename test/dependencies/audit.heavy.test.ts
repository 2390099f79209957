// `.ci/audit`, which asks the registry for known vulnerabilities: of what users get, and of what only builds and tests.
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

describe('.ci/audit', () => {
  let registry: Server | undefined;

  afterEach(() => {
    registry?.close();
  });

  const advisory = {
    id: 1,
    url: 'https://advisories.example/1',
    title: 'a hole',
    severity: 'low',
    vulnerable_versions: '*',
    cwe: [],
    cvss: { score: 0, vectorString: null },
  };

  /** The exit code and the output of `.ci/audit` with this response of the registry. */
  async function audited(
    status: number,
    body: unknown,
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
    const server = createServer((request, response) => {
      const isAudit = request.url?.startsWith('/-/npm/v1/security/') === true;
      response
        .writeHead(isAudit ? status : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(isAudit ? body : {}));
    });
    registry = server;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_fetch_retries: '0' };
    return new Promise((ended) => {
      const child = execFile(resolve(root, '.ci/audit'), { env }, (_error, stdout, stderr) => {
        ended({ code: child.exitCode, stdout, stderr });
      });
    });
  }

  it('passes without known vulnerabilities', async () => {
    expect(await audited(200, {})).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each(['ky', 'commander', 'chalk'])('stops at a small vulnerability of %s, which users get', async (name) => {
    expect(await audited(200, { [name]: [advisory] })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('a hole') as string,
    });
  });

  it('lets a small vulnerability pass in a package that only builds and tests', async () => {
    expect(await audited(200, { esbuild: [advisory] })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('passes, with a warning, when the registry cannot be reached', async () => {
    expect(await audited(405, {})).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('could not be reached') as string,
    });
  });
});
