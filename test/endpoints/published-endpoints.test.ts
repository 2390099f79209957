// Every endpoint of the package is published, and every published endpoint is in the package, or left out for a reason.
import { expect, it } from 'vitest';
import { leftOut, publishedEndpoints } from '../../scripts/docs/published-endpoints.js';
import { allEndpoints } from '../support/endpoints.js';

const present = new Set(allEndpoints.map(({ method, path }) => `${method} ${path}`));
const missing = publishedEndpoints.filter((published) => !present.has(published));

it('every endpoint of the package has a published method and path', () => {
  expect([...present].filter((endpoint) => !publishedEndpoints.includes(endpoint))).toEqual([]);
});

it('what is left out is published, and has no method', () => {
  expect([...leftOut.keys()].filter((endpoint) => !missing.includes(endpoint))).toEqual([]);
});

it('every published endpoint has a method, or a reason why it has none', () => {
  expect(missing.filter((published) => !leftOut.has(published))).toEqual([]);
});
