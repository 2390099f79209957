// An API key and signing with it. Only a closure holds the secret, so no object that is printed can show it.
import { createHmac, createSecretKey } from 'node:crypto';

/** An API key of the exchange. Both parts are secrets. */
export interface Credentials {
  /** The API key, sent in the header `X-TXC-APIKEY`. */
  readonly apiKey: string;
  /** Signs requests; never sent. */
  readonly apiSecret: string;
}

/** Spec, Authentication: the headers of a private request. */
export interface SignedHeaders {
  readonly 'Content-type': 'application/json';
  readonly 'X-TXC-APIKEY': string;
  readonly 'X-TXC-PAYLOAD': string;
  readonly 'X-TXC-SIGNATURE': string;
}

/** Signs the body of a request. The headers are valid for exactly these bytes. */
export type Sign = (body: string) => SignedHeaders;

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
