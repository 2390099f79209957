// The body of a private request: compact JSON, in ASCII, since the exchange refuses a body whose bytes differ from the
// signed ones in any way.
import { withLiveNames } from '../model/wire-names.js';

/** What makes a request valid once. */
export interface Nonce {
  readonly nonce: number;
  /** Whether it is one of the window mode. */
  readonly nonceWindow: boolean;
}

/** Spec, Authentication: the fields of a private request with `request` (the endpoint's path) and `nonce`. */
export function signedBody(
  path: string,
  { nonce, nonceWindow }: Nonce,
  fields: Readonly<Record<string, unknown>>,
): string {
  return asciiJson({
    ...withLiveNames(fields),
    request: path,
    nonce: String(nonce),
    ...(nonceWindow ? { nonceWindow } : {}),
  });
}

const notAscii = /[\u0080-\uffff]/g;

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(notAscii, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
