// Every endpoint of the package is published, and every published trading endpoint is in the package.
import { expect, it } from 'vitest';
import { publishedEndpoints } from '../../scripts/docs/published-endpoints.js';
import { allEndpoints } from '../support/endpoints.js';

const present = new Set(allEndpoints.map(({ method, path }) => `${method} ${path}`));
const missing = publishedEndpoints.filter((published) => !present.has(published));

it('every endpoint of the package has a published method and path', () => {
  expect([...present].filter((endpoint) => !publishedEndpoints.includes(endpoint))).toEqual([]);
});

it('every public, spot, order and collateral endpoint that is published is in the package', () => {
  const trading = /\/(?:public|trade-account|collateral-account|order|orders|market|[\w]+-orders)(?:\/|$)/;
  expect(missing.filter((endpoint) => trading.test(endpoint) && !endpoint.includes('/accounts/'))).toEqual([]);
});
