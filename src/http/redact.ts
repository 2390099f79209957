// Takes what is secret in a request out of what is told of its failure. An exchange, or a gateway before it, may say in its answer what it was asked,
// headers and all; and a library may put it into its error. Nothing of this is done for a request that succeeds.
import type { Endpoint, WireFields } from '../endpoint.js';
import type { WireRequest } from './send.js';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** What is shorter is no secret, and may stand anywhere. */
const shortestSecret = 8;
const shortestPiece = 4;
const instead = '[hidden]';

/** Takes out the key, payload and signature of this request, its body, and its parameters where they are secrets. */
export function redactorOf(endpoint: Endpoint, fields: WireFields, request: WireRequest): Redact {
  return (text) => withoutSecrets(text, secretsOf(endpoint, fields, request));
}

function secretsOf({ authentication, confidential }: Endpoint, fields: WireFields, { headers, body = '' }: WireRequest): string[] {
  const proofs = Object.entries(headers).flatMap(([name, value]) => (name.startsWith('X-TXC-') ? [value] : []));
  const isConfidential = confidential === true || authentication === 'form';
  return [body, ...proofs, ...(isConfidential ? Object.values(fields).flatMap((value) => textsOf(wireForm(value))) : [])];
}

/** As JSON writes it: a date, say, as text. */
function wireForm(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Each may be repeated without the others; names may be secrets, too. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([name, inner]) => [name, ...textsOf(inner)]);
  return typeof value === 'string' || typeof value === 'number' ? [`${value}`] : [];
}

/** A text that still holds a secret when all are taken out, written as JSON, HTML or URLs write it, is hidden as a whole. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // The body holds others of them: it goes first.
  const longestFirst = secrets.filter(({ length }) => length >= shortestSecret).sort((a, b) => b.length - a.length);
  const left = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, instead), text);
  const lower = left.toLowerCase();
  return longestFirst.some((secret) => holds(lower, secret)) ? instead : left;
}

/** Every way of writing leaves letters and digits as they are. */
function holds(lower: string, secret: string): boolean {
  const pieces = secret.toLowerCase().split(/[^\da-z]+/).filter(({ length }) => length >= shortestPiece);
  return pieces.length > 0 && pieces.every((piece) => lower.includes(piece));
}
