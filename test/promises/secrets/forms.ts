// The forms in which a secret is replaced, and those that hide the whole text.
import { randomBytes } from 'node:crypto';

export interface Form {
  readonly name: string;
  readonly write: (secret: string) => string;
}

const bytesOf = (secret: string) => Buffer.from(secret);
const hexOf = (code: number, digits = 2) => code.toString(16).padStart(digits, '0');
const each = (secret: string, write: (code: number) => string) =>
  Array.from(secret, (character) => write(character.charCodeAt(0))).join('');

export const asItIs: Form = { name: 'as it is', write: (secret) => secret };

/** What is written in one of these is replaced in its place. */
export const replaced: readonly Form[] = [
  asItIs,
  { name: 'in base64', write: (secret) => bytesOf(secret).toString('base64') },
  { name: 'in base64url', write: (secret) => bytesOf(secret).toString('base64url') },
  { name: 'in hex', write: (secret) => bytesOf(secret).toString('hex') },
  { name: 'in capital hex', write: (secret) => bytesOf(secret).toString('hex').toUpperCase() },
  { name: 'encoded as in a URL', write: (secret) => encodeURIComponent(secret) },
  { name: 'escaped as in JSON', write: (secret) => JSON.stringify(secret).slice(1, -1) },
  {
    name: 'escaped as in JSON, with its slashes',
    write: (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  },
];

/** A text that holds one of these is hidden as a whole. */
export const escaped: readonly Form[] = [
  { name: 'with every character escaped as in a URL', write: (secret) => each(secret, (code) => `%${hexOf(code)}`) },
  {
    name: 'with every character escaped as in JSON',
    write: (secret) => each(secret, (code) => `\\u${hexOf(code, 4)}`),
  },
  {
    name: 'with some characters escaped',
    write: (secret) =>
      Array.from(secret, (character, index) =>
        index % 3 === 0 ? `\\u${hexOf(character.charCodeAt(0), 4)}` : character,
      ).join(''),
  },
];

export function randomSecret(bytes = 24): string {
  return randomBytes(bytes).toString('hex');
}
