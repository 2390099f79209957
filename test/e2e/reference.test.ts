// The API reference can be made of the docstrings, and the docstrings say what a caller must know.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import * as sdk from 'exchange-rx';
import type { Endpoint } from 'exchange-rx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryPoints, makeReference } from '../reference/reference.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'exchange-rx-reference-'));
let warnings: readonly string[];

beforeAll(async () => {
  warnings = await makeReference(folder);
}, 120_000);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const page = (path: string) => readFileSync(join(folder, 'exchange-rx', path), 'utf8');

function isEndpoint(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'path' in value;
}

describe('the API reference', () => {
  it('covers every door of the package', () => {
    expect(entryPoints().map((file) => relative(root, file))).toEqual(
      expect.arrayContaining(['src/index.ts', 'src/sandbox/index.ts']),
    );
    expect(page('sandbox/README.md')).toContain('[createSandbox]');
  });

  it('has a docstring for everything, and every link of it leads somewhere', () => {
    expect(warnings).toEqual([]);
  });

  it('shows how every function is used', () => {
    const functions = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\/functions\/.*\.md$/.test(file),
    );
    expect(functions.length).toBeGreaterThan(20);
    expect(functions.filter((file) => !readFileSync(join(folder, file), 'utf8').includes('```ts'))).toEqual([]);
  });

  const endpoints = Object.entries<unknown>(sdk).filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1]));

  it.each(endpoints)(
    'says of %s what it is on the wire, and which limit it counts against',
    (name, { method, path, rateLimit: { name: group, limit, windowMs } }) => {
      const text = page(`variables/${name}.md`);
      expect(text).toContain(`\`${method} ${path}\``);
      expect(text).toContain(
        `limit group \`${group}\`, ${limit} request${limit === 1 ? '' : 's'} / ${windowMs / 1000} s`,
      );
      expect(text).toContain('```ts');
    },
  );
});
