// Builds the request of an endpoint: unauthenticated, signed, a form, or with an access token.
import { signRequest, type Signing } from '../auth/index.js';
import { accessTokenParameter, filledPath, type Endpoint, type WireFields } from '../endpoint/index.js';
import { withLiveNames } from '../model/wire-names.js';
import type { TransportRequest } from './transport.js';

/** A request that is ready to send. The nonce is absent for unsigned requests. */
export interface Prepared {
  readonly request: TransportRequest;
  readonly nonce?: number;
}

/** Throws {@link RequestError} for a private request without `signing`. */
export function wireRequest(
  baseUrl: string,
  endpoint: Endpoint,
  allFields: WireFields,
  signing: Signing | undefined,
): Prepared {
  const { method, localParameters = [] } = endpoint;
  const inPath: string[] = [];
  const path = filledPath(endpoint.path, (name) => {
    inPath.push(name);
    return encodeURIComponent(String(allFields[name]));
  });
  const url = baseUrl + path;
  const fields = without(allFields, [...inPath, ...localParameters]);
  switch (endpoint.authentication) {
    case 'none':
      return { request: { method, url: withQuery(url, endpoint, fields), headers: { accept: 'application/json' } } };
    case 'signed': {
      const named = withLiveNames(fields, endpoint.wireNames);
      const { body, headers, nonce } = signRequest(signing, endpoint.name, path, named);
      return { request: { method, url, headers: { accept: 'application/json', ...headers }, body }, nonce };
    }
    case 'bearer': {
      const headers = { accept: 'application/json', authorization: `Bearer ${String(fields[accessTokenParameter])}` };
      const own = without(fields, [accessTokenParameter]);
      if (method !== 'POST') return { request: { method, url: withQuery(url, endpoint, own), headers } };
      const body = JSON.stringify(withLiveNames(own, endpoint.wireNames));
      return { request: { method, url, headers: { ...headers, 'Content-type': 'application/json' }, body } };
    }
    case 'form': {
      const headers = { accept: 'application/json', 'Content-type': 'application/x-www-form-urlencoded' };
      return { request: { method, url, headers, body: urlEncoded(endpoint, fields) } };
    }
  }
}

function without(fields: WireFields, names: readonly string[]): WireFields {
  return names.length === 0
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function withQuery(url: string, endpoint: Endpoint, fields: WireFields): string {
  const query = urlEncoded(endpoint, fields);
  return query === '' ? url : `${url}?${query}`;
}

/** Omits fields that are `undefined`, as JSON does. */
function urlEncoded(endpoint: Endpoint, fields: WireFields): string {
  const { wireNames } = endpoint;
  const given = Object.entries(wireNames === undefined ? fields : withLiveNames(fields, wireNames)).filter(
    ([, value]) => value !== undefined,
  );
  return new URLSearchParams(given.map(([field, value]): [string, string] => [field, String(value)])).toString();
}
