// Every endpoint of the package has a route in the sandbox, with the published method and authentication, or a reason.
import { expect, it } from 'vitest';
import { routes } from '../../src/sandbox/http/index.js';
import { allEndpoints } from '../support/endpoints.js';

const users = 'The sandbox has no page on which users authorize applications: `oauthClient` has a refresh token.';

/** By the beginning of a path: why the sandbox has no route. A bot adds its own with `sandbox.route`. */
const without: Readonly<Record<string, string>> = {
  '/api/v4/credit-line/': 'Neither how a loan is made nor how its loan to value is computed is published.',
  '/api/v4/collateral-account/borrow-history': 'The sandbox lends nothing.',
  '/api/v4/aml/': 'A paid service outside of the exchange.',
  '/api/v4/travel-rule/': 'The sandbox has no other providers of wallets.',
  '/oauth2/token': users,
  '/oauth2/api-key/': users,
};

const reasonOf = (path: string) => Object.keys(without).find((start) => path.startsWith(start));
const served = new Map(routes.map(({ path, method, authentication }) => [path, { method, authentication }]));
const unserved = allEndpoints.filter(({ path }) => !served.has(path));

it('every endpoint has a route of its method, or a reason', () => {
  expect(unserved.filter(({ path }) => reasonOf(path) === undefined).map(({ name }) => name)).toEqual([]);
  const others = allEndpoints.filter(({ path, method }) => (served.get(path)?.method ?? method) !== method);
  expect(others.map(({ name }) => name)).toEqual([]);
});

it('every endpoint that is signed has a route that checks the signature', () => {
  const wrong = allEndpoints.filter(({ path, authentication }) => {
    const isSigned = served.get(path)?.authentication === 'signed';
    return served.has(path) && isSigned !== (authentication === 'signed');
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

it('no reason is left over', () => {
  const used = new Set(unserved.map(({ path }) => reasonOf(path)));
  expect(Object.keys(without).filter((start) => !used.has(start))).toEqual([]);
});
