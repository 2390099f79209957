// What is published: the tarball's files, its entry points as publint and Are the types wrong? see them, and its source
// maps.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryPoints, pack, type Packed } from '../support/packed.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Kinds of files, by where they may be. */
const allowed = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^docs\/[\w-]+\.md$/,
  /^src\/[\w/-]+(\.d)?\.ts$/,
  /^dist\/[\w/-]+\.(js|js\.map|d\.ts|d\.ts\.map)$/,
  /^(src|dist)\/cli\/dashboard\/page\/(index\.html|style\.css)$/,
];
/** Bytes. Today it is 0.5 MB, and 2.0 MB unpacked. */
const maxPacked = 800_000;
const maxUnpacked = 3_400_000;

let folder: string;
let packed: Packed;
let paths: ReadonlySet<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-rx-'));
  packed = await pack(folder);
  paths = new Set(packed.files.map(({ path }) => path));
  await run('tar', ['-xzf', packed.tarball], { cwd: folder });
}, 60_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const read = (path: string) => readFile(join(folder, 'package', path), 'utf8');

describe('the tarball', () => {
  it('holds what belongs, and nothing else', () => {
    expect([...paths].filter((path) => !allowed.some((kind) => kind.test(path)))).toEqual([]);
    expect([...paths].filter((path) => !path.includes('/')).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    const built = [...paths]
      .filter((path) => /^src\/[\w/-]+\.ts$/.test(path))
      .map((path) => path.replace(/^src(.*)\.ts$/, 'dist$1.js'));
    expect(built.length).toBeGreaterThan(100);
    expect(built.filter((path) => !paths.has(path))).toEqual([]);
  });

  it('is small', () => {
    expect(packed.size).toBeLessThan(maxPacked);
    expect(packed.files.reduce((bytes, { size }) => bytes + size, 0)).toBeLessThan(maxUnpacked);
  });

  it('has the entry points that are listed, each with its types, and no others', async () => {
    const { exports } = JSON.parse(await read('package.json')) as {
      exports: Record<string, string | { types: string; default: string }>;
    };
    expect(
      Object.keys(exports)
        .map((path) => path.replace('.', 'exchange-rx'))
        .sort(),
    ).toEqual([...entryPoints, 'exchange-rx/package.json'].sort());
    for (const target of Object.values(exports)) {
      const files = typeof target === 'string' ? [target] : [target.types, target.default];
      for (const file of files) expect(paths).toContain(posix.normalize(file));
    }
  });

  it('has nothing that publint complains of', async () => {
    const tarball = await readFile(packed.tarball);
    const { messages } = await publint({
      pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) },
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  it('has types that are right for Node and for bundlers, where they import', async () => {
    const { stdout } = await run(
      join(root, 'node_modules/.bin/attw'),
      [packed.tarball, '--profile', 'esm-only', '--format', 'json'],
      { maxBuffer: 2 ** 24 },
    );
    const { analysis } = JSON.parse(stdout) as {
      analysis: { entrypoints: Record<string, { resolutions: Record<string, { resolution?: { fileName: string } }> }> };
    };
    for (const { resolutions } of Object.values(analysis.entrypoints)) {
      for (const kind of ['node16-esm', 'bundler'])
        expect(resolutions[kind]?.resolution?.fileName).toMatch(/\.d\.ts$|package\.json$/);
    }
    expect(Object.keys(analysis.entrypoints)).toHaveLength(entryPoints.length + 1);
  }, 60_000);

  it('has source maps whose sources are in it', async () => {
    const maps = [...paths].filter((path) => path.endsWith('.map'));
    const missing: string[] = [];
    for (const path of maps) {
      const { sources, sourceRoot = '' } = JSON.parse(await read(path)) as { sources: string[]; sourceRoot?: string };
      expect(sources).not.toEqual([]);
      missing.push(
        ...sources
          .map((source) => posix.join(posix.dirname(path), sourceRoot, source))
          .filter((source) => !paths.has(source)),
      );
    }
    expect(missing).toEqual([]);
    const withoutMap = [...paths].filter((path) => /^dist\/.*\.(js|d\.ts)$/.test(path) && !paths.has(`${path}.map`));
    expect(withoutMap).toEqual([]);
  });
});
