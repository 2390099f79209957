// The dependencies: few, with permissive licenses, without known vulnerabilities, and as docs/dependencies.md says.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeBill, type Bill } from './bill.js';
import { bundled, dependencies, devDependencies, locked, peerDependencies, shippedFolders } from './lock.js';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(root, 'docs/dependencies.md'), 'utf8');

/** Licenses whose only condition is that their text is kept. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

/** The names in the first column of the table below a heading. */
function namesBelow(heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `(?<name>[^`]+)` \| (?=\S)/gm)].map(({ groups }) => groups?.['name'] ?? '').sort();
}

describe('the page of the dependencies', () => {
  it('has every dependency, each bundled package and each development dependency, with its purpose, and no others', () => {
    expect(namesBelow('What users install')).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
    expect(namesBelow('What is bundled')).toEqual([...bundled].sort());
    const others = Object.keys(devDependencies).filter(
      (name) => !bundled.includes(name) && !(name in peerDependencies),
    );
    expect(namesBelow('For development')).toEqual(others.sort());
  });

  it('has the reason for each package that users get', () => {
    const names = [...Object.keys({ ...dependencies, ...peerDependencies }), ...bundled];
    expect(names.filter((name) => !page.includes(`\n- \`${name}\` (`))).toEqual([]);
  });
});

describe('the licenses', () => {
  it('of all packages that users get are permissive', () => {
    const others = [...shippedFolders()].filter((folder) => !permissive.includes(locked(folder).license ?? 'none'));
    expect(others).toEqual([]);
  });
});

describe('the bill of materials', () => {
  it('is CycloneDX, and names exactly the packages that users get, with the license', async () => {
    const bill = JSON.parse(await makeBill()) as Bill;
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: expect.stringMatching(/^1\.\d$/) as string,
      metadata: { component: { name: 'exchange-rx' } },
    });
    const lines = [...shippedFolders()].map(
      (folder) =>
        `${folder.slice(folder.lastIndexOf('node_modules/') + 13)}@${locked(folder).version} ${locked(folder).license ?? ''}`,
    );
    expect(
      bill.components
        .map(({ name, version, licenses }) => `${name}@${version} ${licenses?.[0]?.license?.id ?? ''}`)
        .sort(),
    ).toEqual([...new Set(lines)].sort());
  }, 60_000);

  it('has every package whose license is in THIRD_PARTY_LICENSES', () => {
    const licenses = readFileSync(resolve(root, 'THIRD_PARTY_LICENSES'), 'utf8');
    const inScripts = [...licenses.matchAll(/^-{80}\n\n(?<name>\S+) (?<version>\S+) \(/gm)].map(
      ({ groups }) => `${groups?.['name'] ?? ''}@${groups?.['version'] ?? ''}`,
    );
    const names = [...shippedFolders()].map(
      (folder) => `${folder.slice(folder.lastIndexOf('node_modules/') + 13)}@${locked(folder).version}`,
    );
    expect(inScripts.length).toBeGreaterThan(bundled.length);
    expect(inScripts.filter((name) => !names.includes(name))).toEqual([]);
  });
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
  }, 60_000);

  it.each(['ky', 'commander', 'chalk'])(
    'stops at a small vulnerability of %s, which users get',
    async (name) => {
      expect(await audited(200, { [name]: [advisory] })).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('a hole') as string,
      });
    },
    60_000,
  );

  it('lets a small vulnerability pass in a package that only builds and tests', async () => {
    expect(await audited(200, { esbuild: [advisory] })).toEqual({ code: 0, stdout: '', stderr: '' });
  }, 60_000);

  it('passes, with a warning, when the registry cannot be reached', async () => {
    expect(await audited(405, {})).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('could not be reached') as string,
    });
  }, 60_000);
});
