// The key of an account, and the signing of requests with it. The secret is prepared once and lives in a closure only:
// nothing that could be printed holds it.
import { createHmac, createSecretKey } from 'node:crypto';

/** A key of the exchange's API. Both parts are secrets. */
export interface Credentials {
  /** The public key, sent in `X-TXC-APIKEY`. */
  readonly apiKey: string;
  /** The secret that requests are signed with; never sent. */
  readonly apiSecret: string;
}

/** Spec, Authentication: the headers of a private request. */
export interface SignedHeaders {
  readonly 'Content-type': 'application/json';
  readonly 'X-TXC-APIKEY': string;
  readonly 'X-TXC-PAYLOAD': string;
  readonly 'X-TXC-SIGNATURE': string;
}

/** Signs the body of a request: the headers are for exactly these bytes. */
export type Sign = (body: string) => SignedHeaders;

/**
 * Prepares signing with a key. Spec, Authentication: the payload is the body in Base64, the signature is the
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
