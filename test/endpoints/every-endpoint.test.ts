// What holds for every endpoint, shown by its definition and its recorded response: a new endpoint needs no test of its
// own for it.
import { createExchange, createScheduler, unreadableIn, type Client, type Endpoint } from 'exchange-rx';
import { firstValueFrom, type Observable } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasNoParameters, parameterNames, pathParameters } from '../../src/endpoint/index.js';
import { allEndpoints } from '../support/endpoints.js';
import { failureOf } from '../support/failure.js';
import { recordedNames, recordedOf } from '../support/recorded.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

function clientOf(response: unknown) {
  const { fetch, sent } = recordingFetch(() => jsonAnswer(response));
  const client = createExchange({
    baseUrl: 'https://exchange.example',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    scheduler: createScheduler(),
    retry: false,
    lookupTimeoutMs: 0,
    fetch,
  });
  return { client, sent };
}

/** As data from elsewhere come: no type checks the parameters. */
function call(client: Client, endpoint: Endpoint, params: unknown): Observable<unknown> {
  const untyped: (endpoint: Endpoint, params: never) => Observable<unknown> = (one, given) => client.call(one, given);
  // Without parameters, options are the only argument.
  return untyped(endpoint, params as never);
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
  const { client, sent } = clientOf(response);
  beforeEach(() => {
    sent.length = 0;
  });

  it('sends its parameters to its path, and reads the recorded response', async () => {
    const output = await firstValueFrom(call(client, endpoint, params));
    expect(output).toBeDefined();
    if (typeof output === 'object' && output !== null) expect(unreadableIn(output)).toBeUndefined();
    const [{ method, url, body } = { method: '', url: '', body: '' }] = sent;
    const { pathname, searchParams } = new URL(url);
    const inPath = pathParameters(endpoint.path);
    const path = inPath.reduce((text, name) => text.replace(`{${name}}`, String(params[name])), endpoint.path);
    expect(`${method} ${pathname}`).toBe(`${endpoint.method} ${path}`);
    const fields = body.startsWith('{')
      ? (JSON.parse(body) as Readonly<Record<string, unknown>>)
      : Object.fromEntries([...searchParams, ...new URLSearchParams(body)]);
    const left = Object.keys(params).filter(
      (name) => !inPath.includes(name) && !endpoint.localParameters?.includes(name),
    );
    for (const name of left) {
      const value = params[name];
      if (typeof value === 'object' && value !== null) expect(fields[name]).toMatchObject(value);
      else expect(String(fields[name])).toBe(String(value));
    }
  });

  it.each(requiredOf(endpoint))('rejects a request without %s before it is sent', async (name) => {
    const rest = Object.fromEntries(Object.entries(params).filter(([other]) => other !== name));
    expect(await failureOf(call(client, endpoint, rest))).toMatchObject({
      kind: 'request',
      outcome: 'not-executed',
      issues: expect.arrayContaining([{ field: name, message: 'is required' }]) as unknown,
    });
    expect(sent).toEqual([]);
  });

  it.each(parameterNames(endpoint))('rejects an object as %s before it is sent', async (name) => {
    const error = await failureOf(call(client, endpoint, { ...params, [name]: { odd: true } }));
    expect(error).toMatchObject({ kind: 'request', outcome: 'not-executed' });
    expect(error).toHaveProperty('issues', expect.arrayContaining([expect.objectContaining({ field: name })]));
    expect(sent).toEqual([]);
  });

  it('rejects a parameter that it does not have before it is sent', async () => {
    expect(await failureOf(call(client, endpoint, { ...params, unheardOf: 1 }))).toMatchObject({
      kind: 'request',
      // A confidential endpoint quotes no name but its own.
      issues: [{ field: endpoint.confidential === true && !hasNoParameters(endpoint) ? 'params' : 'unheardOf' }],
    });
    expect(sent).toEqual([]);
  });
});
