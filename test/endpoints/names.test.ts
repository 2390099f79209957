// One name per endpoint: the path of its method is its name in errors and events, and its place in the sources.
import { createExchange } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { members } from '../support/endpoints.js';

const named = members.map(({ group, method, member }) => ({ group, method, member, path: `${group}.${method}` }));
const groups = new Set(members.map(({ group }) => group));

describe('names of endpoints', () => {
  it.each(named)('$path has its path as its name', ({ path, member }) => {
    expect(member.name).toBe(path);
  });

  it('a client has every member of every group, and no other', () => {
    const exchange = createExchange({ baseUrl: 'https://exchange.example' });
    const bound = Object.entries<object | string | boolean>({ ...exchange })
      .filter(([group]) => groups.has(group))
      .flatMap(([group, methods]) => Object.keys(methods).map((method) => `${group}.${method}`));
    expect(bound.sort()).toEqual(named.map(({ path }) => path).sort());
  });
});
