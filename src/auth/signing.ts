// Signs private requests: the body, its headers and its nonce. One object for each client with credentials; only a closure
// holds the secret, so no object that is printed can show it.
import { createHmac, createSecretKey } from 'node:crypto';
import { RequestError } from '../errors/index.js';
import type { ExchangeClock } from './exchange-clock.js';
import type { Nonces } from './nonces.js';

/** An API key of the exchange. Both parts are secrets. */
export interface Credentials {
  /** The API key, sent in the header `X-TXC-APIKEY`. */
  readonly apiKey: string;
  /** Signs requests; never sent. */
  readonly apiSecret: string;
}

/** Signs the body of a request. The headers are valid for exactly these bytes. */
export type Sign = (body: string) => Readonly<Record<string, string>>;

/**
 * Creates the signing function of a key. Spec, Authentication: the payload is the body in Base64, the signature is the
 * HMAC-SHA512 of the payload (not of the body) in hex.
 */
export function createSign({ apiKey, apiSecret }: Credentials): Sign {
  const secret = createSecretKey(Buffer.from(apiSecret));
  return (body) => {
    const payload = Buffer.from(body).toString('base64');
    return {
      'Content-type': 'application/json',
      'X-TXC-APIKEY': apiKey,
      'X-TXC-PAYLOAD': payload,
      'X-TXC-SIGNATURE': createHmac('sha512', secret).update(payload).digest('hex'),
    };
  };
}

export interface Signing {
  readonly sign: Sign;
  readonly nonces: Nonces;
  readonly clock: Pick<ExchangeClock, 'now'>;
}

export function requireSigning(signing: Signing | undefined, endpoint: string): Signing {
  if (signing !== undefined) return signing;
  throw new RequestError(endpoint, [{ field: 'credentials', message: 'are required: the endpoint is private' }]);
}

/** A private request: the signed bytes are those that are sent. */
interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly nonce: number;
}

/**
 * Signs a request that is sent now. Throws {@link RequestError} without `signing`, and when no nonce is free.
 *
 * @param fields completed to the body
 */
export function signRequest(
  signing: Signing | undefined,
  endpoint: string,
  path: string,
  fields: Record<string, unknown>,
): SignedRequest {
  const { clock, nonces, sign } = requireSigning(signing, endpoint);
  const nonce = requireNonce(nonces.take(clock.now()), endpoint);
  const body = signedBody(path, nonce, fields);
  return { body, headers: sign(body), nonce };
}

/** Nonces are taken here only: one taken earlier, with the permit, would age while a user's scheduler holds the permit. */
function requireNonce(nonce: number | undefined, endpoint: string): number {
  if (nonce === undefined)
    throw new RequestError(endpoint, [
      { field: 'nonce', message: 'is not available: at most one request per millisecond can be signed' },
    ]);
  if (!Number.isFinite(nonce))
    throw new RequestError(endpoint, [{ field: 'now', message: `must return Unix milliseconds (returned ${nonce})` }]);
  return nonce;
}

/**
 * The body of a private request: compact JSON in ASCII, because the exchange rejects a body that differs from the signed
 * bytes in any way. Spec, Authentication: it has `request` (the endpoint's path) and `nonce` among the fields.
 */
function signedBody(path: string, nonce: number, body: Record<string, unknown>): string {
  body['request'] = path;
  body['nonce'] = String(nonce);
  body['nonceWindow'] = true;
  const text = JSON.stringify(body);
  return hasNotAscii.test(text) ? text.replace(notAscii, escape) : text;
}

const hasNotAscii = /[\u0080-\uffff]/;
const notAscii = /[\u0080-\uffff]/g;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
