// One name per endpoint: the path of its method is its name in errors and events, and its place in the sources.
import { createExchange } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/documents.js';

const { account, collateral, mining, oauth, orders, public: publicEndpoints, spot, subAccounts } = endpoints;
const groups = { account, collateral, mining, oauth, orders, public: publicEndpoints, spot, subAccounts };
const members = Object.entries(groups).flatMap(([group, namespace]) =>
  Object.entries<object>(namespace).map(([name, member]) => ({ group, name, path: `${group}.${name}`, member })),
);

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const folderOf = (group: string) => join(root, 'src/endpoints', kebab(group));

describe('names of endpoints', () => {
  it('every group of src/endpoints is a namespace', () => {
    const folders = readdirSync(join(root, 'src/endpoints'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(Object.keys(groups).map(kebab).sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it.each(members)('$path is defined in the file of its name', ({ group, name }) => {
    const text = readFileSync(join(folderOf(group), `${kebab(name)}.ts`), 'utf8');
    expect(text).toMatch(new RegExp(`^export (const|function) ${name}\\b`, 'm'));
  });

  it.each(members.filter(({ member }) => typeof member === 'object'))(
    '$path has its path as its name',
    ({ path, member }) => {
      expect(member).toHaveProperty('name', path);
    },
  );

  it('a client has every member of every group, and no other', () => {
    const exchange = createExchange({ baseUrl: 'https://exchange.example' });
    for (const [group, namespace] of Object.entries(groups)) {
      const bound = Object.entries(exchange).find(([name]) => name === group)?.[1] as object;
      expect(Object.keys(bound).sort()).toEqual(Object.keys(namespace).sort());
    }
  });
});
