// From an endpoint and its fields to the request on the wire, in each of the three ways that the exchange knows who
// asks.
import { requireSigning, signedBody, takeNonce, type Nonce, type Signing } from '../auth/index.js';
import type { Endpoint, WireFields } from '../endpoints/define-endpoint.js';
import { RequestError } from '../errors/index.js';
import type { WireRequest } from './send.js';

/** A request that is ready, and the nonce that it was signed with, if it was. */
export interface Prepared {
  readonly request: WireRequest;
  readonly nonce?: Nonce;
}

/**
 * Builds the request. The bytes that are signed are the bytes that are sent. Throws {@link RequestError} for a private
 * request without `signing`.
 */
export function wireRequest(
  baseUrl: string,
  endpoint: Endpoint,
  fields: WireFields,
  signing: Signing | undefined,
): Prepared {
  const { method, path } = endpoint;
  const url = baseUrl + path;
  switch (endpoint.authentication) {
    case 'none': {
      const query = urlEncoded(endpoint, fields);
      return {
        request: { method, url: query === '' ? url : `${url}?${query}`, headers: { accept: 'application/json' } },
      };
    }
    case 'signed': {
      const own = requireSigning(signing, endpoint.name);
      const nonce = takeNonce(own, endpoint.name);
      const body = writeBody(endpoint, () => signedBody(path, nonce, fields));
      return { request: { method, url, headers: { accept: 'application/json', ...own.sign(body) }, body }, nonce };
    }
    case 'form': {
      const headers = { accept: 'application/json', 'Content-type': 'application/x-www-form-urlencoded' };
      return { request: { method, url, headers, body: urlEncoded(endpoint, fields) } };
    }
  }
}

/** Fields are checked before they are queued; what writes itself may do so only once. */
function writeBody({ name, confidential }: Endpoint, write: () => string): string {
  try {
    return write();
  } catch (cause) {
    // What an object throws may quote what it holds.
    throw new RequestError(
      name,
      [{ field: 'params', message: 'cannot be written as JSON' }],
      confidential === true ? undefined : cause,
    );
  }
}

/** A field that is `undefined` is left out, as JSON does. */
function urlEncoded(endpoint: Endpoint, fields: WireFields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.map(([field, value]): [string, string] => [field, writeText(endpoint, field, value)]),
  ).toString();
}

/** An object may have no text, or fail when it is asked for it. */
function writeText({ name, confidential }: Endpoint, field: string, value: unknown): string {
  try {
    return String(value);
  } catch (cause) {
    // As above.
    throw new RequestError(
      name,
      [{ field, message: 'cannot be written as text' }],
      confidential === true ? undefined : cause,
    );
  }
}
