// The body of a private request: compact JSON in ASCII, because the exchange rejects a body that differs from the
// signed bytes in any way.
import { withLiveNames, type WireNames } from '../model/wire-names.js';

/** A number that makes a request valid once. */
export interface Nonce {
  readonly nonce: number;
  /** Whether the nonce is valid within a time window, in any order. */
  readonly nonceWindow: boolean;
}

/** Spec, Authentication: the fields of a private request with `request` (the endpoint's path) and `nonce`. */
export function signedBody(
  path: string,
  { nonce, nonceWindow }: Nonce,
  fields: Readonly<Record<string, unknown>>,
  names?: WireNames,
): string {
  const body = withLiveNames(fields, names);
  body['request'] = path;
  body['nonce'] = String(nonce);
  if (nonceWindow) body['nonceWindow'] = true;
  return asciiJson(body);
}

/** The body of a request that is not signed: the same, without the fields of signing. */
export function jsonBody(fields: Readonly<Record<string, unknown>>, names?: WireNames): string {
  return asciiJson(withLiveNames(fields, names));
}

const hasNotAscii = /[\u0080-\uffff]/;
const notAscii = /[\u0080-\uffff]/g;

function asciiJson(value: unknown): string {
  const text = JSON.stringify(value);
  return hasNotAscii.test(text) ? text.replace(notAscii, escape) : text;
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
