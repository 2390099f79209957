// From an endpoint and its fields to the request on the wire, in each of the three ways that the exchange knows who asks.
import { signedBody, type Nonce, type Sign } from '../auth/index.js';
import type { Endpoint, WireFields } from '../endpoint.js';
import { RequestError } from '../errors.js';
import type { WireRequest } from './send.js';

/** Signs for one request: the nonce is made now, at the moment of sending. */
export interface Signer {
  readonly sign: Sign;
  readonly nonce: () => Nonce;
}

/** A request that is ready, and the nonce that it was signed with, if it was. */
export interface Prepared {
  readonly request: WireRequest;
  readonly nonce?: Nonce;
}

/** Builds the request. The bytes that are signed are the bytes that are sent. `signer` is asked for private requests only. */
export function wireRequest(baseUrl: string, endpoint: Endpoint, fields: WireFields, signer: () => Signer): Prepared {
  const { method, path } = endpoint;
  const url = baseUrl + path;
  switch (endpoint.authentication) {
    case 'none': {
      const query = urlEncoded(fields);
      return { request: { method, url: query === '' ? url : `${url}?${query}`, headers: { accept: 'application/json' } } };
    }
    case 'signed': {
      const { sign, nonce: next } = signer();
      const nonce = next();
      const body = writeBody(endpoint.name, () => signedBody(path, nonce, fields));
      return { request: { method, url, headers: { accept: 'application/json', ...sign(body) }, body }, nonce };
    }
    case 'form': {
      const headers = { accept: 'application/json', 'Content-type': 'application/x-www-form-urlencoded' };
      return { request: { method, url, headers, body: urlEncoded(fields) } };
    }
  }
}

/** Fields are checked before they are queued; what writes itself may do so only once. */
function writeBody(endpoint: string, write: () => string): string {
  try {
    return write();
  } catch (cause) {
    throw new RequestError(endpoint, [{ field: 'params', message: 'cannot be written as JSON' }], cause);
  }
}

/** A field that is `undefined` is left out, as JSON does. */
function urlEncoded(fields: WireFields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([field, value]): [string, string] => [field, String(value)])).toString();
}
