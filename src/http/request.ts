// Builds the request of an endpoint: unauthenticated, signed, or a form.
import { requireSigning, signedBody, takeNonce, type Nonce, type Signing } from '../auth/index.js';
import type { Endpoint, WireFields } from '../endpoints/define-endpoint.js';
import { RequestError } from '../errors/index.js';
import type { TransportRequest } from './transport.js';

/** A request that is ready to send. The nonce is absent for unsigned requests. */
export interface Prepared {
  readonly request: TransportRequest;
  readonly nonce?: Nonce;
}

/**
 * Builds a request. The signed bytes are the bytes that are sent. Throws {@link RequestError} for a private request
 * without `signing`.
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

/** Fields are checked before they are queued, but a field with `toJSON` can throw at its second call. */
function writeBody({ name, confidential }: Endpoint, write: () => string): string {
  try {
    return write();
  } catch (cause) {
    // The error may quote the field's value.
    throw new RequestError(
      name,
      [{ field: 'params', message: 'cannot be serialized as JSON' }],
      confidential === true ? undefined : cause,
    );
  }
}

/** Omits fields that are `undefined`, as JSON does. */
function urlEncoded(endpoint: Endpoint, fields: WireFields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.map(([field, value]): [string, string] => [field, writeText(endpoint, field, value)]),
  ).toString();
}

/** An object may have no `toString`, or one that throws. */
function writeText({ name, confidential }: Endpoint, field: string, value: unknown): string {
  try {
    return String(value);
  } catch (cause) {
    // The error may quote the field's value.
    throw new RequestError(
      name,
      [{ field, message: 'cannot be converted to text' }],
      confidential === true ? undefined : cause,
    );
  }
}
