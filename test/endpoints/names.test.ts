// One name per endpoint: the path of its method is its name in errors and events, and its place in the sources.
import { createExchange } from 'exchange-rx';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/documents.js';
import { members } from '../support/endpoints.js';

const named = members.map(({ group, method, member }) => ({ group, method, member, path: `${group}.${method}` }));
const groups = new Set(members.map(({ group }) => group));

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

describe('names of endpoints', () => {
  it('every group of src/endpoints is a namespace', () => {
    const folders = readdirSync(join(root, 'src/endpoints'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect([...groups].map(kebab).sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it.each(named)('$path has its path as its name', ({ path, member }) => {
    expect(member.name).toBe(path);
  });

  it('a client has every member of every group, and no other', () => {
    const exchange = createExchange({ baseUrl: 'https://exchange.example' });
    const bound = Object.entries<object>({ ...exchange })
      .filter(([group]) => groups.has(group))
      .flatMap(([group, methods]) => Object.keys(methods).map((method) => `${group}.${method}`));
    expect(bound.sort()).toEqual(named.map(({ path }) => path).sort());
  });
});
