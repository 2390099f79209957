// What the package depends on: few, known, permissive, and as docs/dependencies.md says.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeBill, type Bill } from './bill.js';
import { closure, dependencies, devDependencies, lock, locked, peerDependencies } from './lock.js';
import { renewed, wordsOf } from './page.js';

const root = resolve(import.meta.dirname, '../..');
const file = resolve(root, 'docs/dependencies.md');

/** Licences that ask for nothing but to be named. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

const asked = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
const all = new Set(asked.flatMap((name) => [...closure(`node_modules/${name}`)]));

describe('the page of the dependencies', () => {
  it.runIf(process.env['RECORD'] === 'true')('is recorded', () => {
    writeFileSync(file, renewed(readFileSync(file, 'utf8')));
  });

  it('has the range, version, licence and size of every dependency as they are, and none too many', () => {
    const page = readFileSync(file, 'utf8');
    expect(page).toBe(renewed(page));
  });

  it('says of each what it is for, and of what users install why it is that one', () => {
    const page = readFileSync(file, 'utf8');
    const words = wordsOf(page);
    expect([...words.keys()].sort()).toEqual([...new Set([...asked, ...Object.keys(devDependencies)])].sort());
    expect([...words].filter(([, text]) => text === '')).toEqual([]);
    expect(asked.filter((name) => !page.includes(`- \`${name}\``))).toEqual([]);
  });
});

describe('the licences', () => {
  it('of everything that is installed with the package are permissive', () => {
    const others = [...all].filter((folder) => !permissive.includes(locked(folder).license ?? 'none'));
    expect(others).toEqual([]);
  });
});

describe('the bill of materials', () => {
  it('is CycloneDX, and names exactly what is installed with the package, with the licence', async () => {
    const bill = JSON.parse(await makeBill()) as Bill;
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: expect.stringMatching(/^1\.\d$/) as string,
      metadata: { component: { name: 'exchange-rx' } },
    });
    // npm's own marks of what is for development; a peer is marked so, since it is installed here for that.
    const unmarked = Object.entries(lock.packages).flatMap(([folder, { dev, devOptional }]) =>
      folder === '' || dev === true || devOptional === true ? [] : [folder],
    );
    const expected = [...unmarked, ...closure('node_modules/rxjs')];
    const lines = (folder: string) =>
      `${folder.slice(folder.lastIndexOf('node_modules/') + 13)}@${locked(folder).version} ${locked(folder).license ?? ''}`;
    expect(
      bill.components
        .map(({ name, version, licenses }) => `${name}@${version} ${licenses?.[0]?.license?.id ?? ''}`)
        .sort(),
    ).toEqual([...new Set(expected)].map(lines).sort());
  }, 60_000);
});

describe('the audit', () => {
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

  /** The exit code of `.ci/audit` when the registry answers so, and what it wrote. */
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

  it('passes when nothing is known', async () => {
    expect(await audited(200, {})).toEqual({ code: 0, stdout: '', stderr: '' });
  }, 60_000);

  it('stops at a vulnerability of what users install, however small', async () => {
    expect(await audited(200, { ky: [advisory] })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('a hole') as string,
    });
  }, 60_000);

  it('lets pass a small one of what only builds and tests', async () => {
    expect(await audited(200, { esbuild: [advisory] })).toEqual({ code: 0, stdout: '', stderr: '' });
  }, 60_000);

  it('passes, and says so, when the registry cannot be asked', async () => {
    expect(await audited(405, {})).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('could not be asked') as string,
    });
  }, 60_000);
});
