// What holds for every endpoint, shown by its definition and its recorded response: a new endpoint needs no test of its
// own for it.
import { createExchange, createScheduler, unreadableIn, type Endpoint } from 'exchange-rx';
import { firstValueFrom, lastValueFrom, type Observable } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  accessTokenParameter,
  hasNoParameters,
  parameterNames,
  pathParameters,
  type PagedList,
} from '../../src/endpoint/index.js';
import { allEndpoints, callUntyped, members } from '../support/endpoints.js';
import { failureOf } from '../support/failure.js';
import { recordedNames, recordedOf } from '../support/recorded.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

/** The lists that are read before a movement have their recorded responses. */
function clientOf({ recordLookup, check }: Endpoint, response: unknown) {
  const lists: readonly Endpoint[] = [
    ...(recordLookup === undefined ? [] : [recordLookup.list]),
    ...(check?.lists ?? []),
  ];
  const { fetch, sent } = recordingFetch(({ url }) => {
    const list = lists.find(({ path }) => new URL(url).pathname === path);
    return jsonAnswer(list === undefined ? response : recordedOf(list).response);
  });
  const client = createExchange({
    baseUrl: 'https://exchange.example',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    scheduler: createScheduler(),
    retry: false,
    lookupTimeoutMs: 0,
    allowWithdrawals: true,
    fetch,
  });
  return { client, sent };
}

/** The parameters that a schema requires, by its entries. */
function requiredOf({ request }: Endpoint): string[] {
  const entries = 'entries' in request ? (request.entries as Readonly<Record<string, { readonly type: string }>>) : {};
  return Object.entries(entries).flatMap(([name, { type }]) => (type === 'exact_optional' ? [] : [name]));
}

it('every endpoint has a recorded response, and every recorded response an endpoint', () => {
  expect([...recordedNames].sort()).toEqual(allEndpoints.map(({ name }) => name).sort());
});

describe.each(allEndpoints)('$name', (endpoint) => {
  const { params, response } = recordedOf(endpoint);
  const { client, sent } = clientOf(endpoint, response);
  beforeEach(() => {
    sent.length = 0;
  });

  it('sends its parameters to its path, and reads the recorded response', async () => {
    const output = await firstValueFrom(callUntyped(client, endpoint, params));
    expect(output).toBeDefined();
    if (typeof output === 'object' && output !== null) expect(unreadableIn(output)).toBeUndefined();
    const { method, url, body, headers } = sent.at(-1) ?? { method: '', url: '', body: '', headers: new Headers() };
    if (endpoint.authentication === 'bearer')
      expect(headers.get('authorization')).toBe(`Bearer ${String(params[accessTokenParameter])}`);
    const { pathname, searchParams } = new URL(url);
    const inPath = pathParameters(endpoint.path);
    const path = inPath.reduce((text, name) => text.replace(`{${name}}`, String(params[name])), endpoint.path);
    expect(`${method} ${pathname}`).toBe(`${endpoint.method} ${path}`);
    const fields = body.startsWith('{')
      ? (JSON.parse(body) as Readonly<Record<string, unknown>>)
      : Object.fromEntries([...searchParams, ...new URLSearchParams(body)]);
    const left = Object.keys(params).filter(
      (name) => !inPath.includes(name) && name !== accessTokenParameter && !endpoint.localParameters?.includes(name),
    );
    for (const name of left) {
      const value = params[name];
      if (typeof value === 'object' && value !== null) expect(fields[name]).toMatchObject(value);
      else expect(String(fields[name])).toBe(String(value));
    }
  });

  it.each(requiredOf(endpoint))('rejects a request without %s before it is sent', async (name) => {
    const rest = Object.fromEntries(Object.entries(params).filter(([other]) => other !== name));
    expect(await failureOf(callUntyped(client, endpoint, rest))).toMatchObject({
      kind: 'request',
      outcome: 'not-executed',
      issues: expect.arrayContaining([{ field: name, message: 'is required' }]) as unknown,
    });
    expect(sent).toEqual([]);
  });

  it.each(parameterNames(endpoint))('rejects an object as %s before it is sent', async (name) => {
    const error = await failureOf(callUntyped(client, endpoint, { ...params, [name]: { odd: true } }));
    expect(error).toMatchObject({ kind: 'request', outcome: 'not-executed' });
    // Or a parameter inside it.
    const field = expect.stringMatching(new RegExp(`^${name}(?:\\.|$)`)) as unknown;
    expect(error).toHaveProperty('issues', expect.arrayContaining([expect.objectContaining({ field })]));
    expect(sent).toEqual([]);
  });

  it('rejects a parameter that it does not have before it is sent', async () => {
    expect(await failureOf(callUntyped(client, endpoint, { ...params, unheardOf: 1 }))).toMatchObject({
      kind: 'request',
      // A confidential endpoint quotes no name but its own.
      issues: [{ field: endpoint.confidential && !hasNoParameters(endpoint) ? 'params' : 'unheardOf' }],
    });
    expect(sent).toEqual([]);
  });
});

const lists = members.flatMap(({ member }) => ('pagesOf' in member ? [member] : []));

it.each(lists)('$name reads the pages of its endpoint with its own parameters', async (list) => {
  const { limit: _limit, offset: _offset, ...params } = recordedOf(list.pagesOf).params;
  const { client, sent } = clientOf(list.pagesOf, recordedOf(list.pagesOf).response);
  const listAll: (all: PagedList, given: never) => Observable<unknown> = (all, given) => client.listAll(all, given);
  const own = Object.fromEntries(Object.entries(params).filter(([name]) => parameterNames(list).includes(name)));
  await lastValueFrom(listAll(list, own as never), { defaultValue: undefined });
  expect(new URL(sent[0]?.url ?? '').pathname).toBe(list.pagesOf.path);
});
