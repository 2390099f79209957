// The encodings in which a gateway, a logger or an attacker may write a secret.
import { randomBytes } from 'node:crypto';

/** One encoding, and whether the secret stays readable in it, so that only the secret must be replaced. */
export interface Form {
  readonly name: string;
  readonly write: (secret: string) => string;
}

const bytesOf = (secret: string) => [...Buffer.from(secret)];
const hexOf = (code: number, digits = 2) => code.toString(16).padStart(digits, '0');
/** Puts a separator after every `size` characters. */
const grouped = (text: string, every: number, between: string) =>
  (text.match(new RegExp(`[^]{1,${every}}`, 'g')) ?? []).join(between);
const base64At = (secret: string, before: number) => Buffer.from(`${'x'.repeat(before)}${secret}yz`).toString('base64');
const each = (secret: string, write: (code: number) => string) =>
  Array.from(secret, (character) => write(character.charCodeAt(0))).join('');

export const forms: readonly Form[] = [
  { name: 'as it is', write: (secret) => secret },
  { name: 'in capitals', write: (secret) => secret.toUpperCase() },
  { name: 'in base64', write: (secret) => Buffer.from(secret).toString('base64') },
  ...[0, 1, 2].map((before): Form => ({
    name: `in base64, ${before} bytes after the beginning`,
    write: (secret) => base64At(secret, before),
  })),
  { name: 'in base64url', write: (secret) => Buffer.from(`{"k":"${secret}"}`).toString('base64url') },
  { name: 'in base64, in lines', write: (secret) => grouped(base64At(secret, 1), 20, '\r\n') },
  { name: 'in hex', write: (secret) => Buffer.from(secret).toString('hex') },
  {
    name: 'in capital hex, by colons',
    write: (secret) => grouped(Buffer.from(secret).toString('hex').toUpperCase(), 2, ':'),
  },
  {
    name: 'in hex, byte by byte',
    write: (secret) =>
      bytesOf(secret)
        .map((byte) => `0x${hexOf(byte)}`)
        .join(', '),
  },
  { name: 'as a list of bytes', write: (secret) => JSON.stringify(Buffer.from(secret)) },
  { name: 'in lines', write: (secret) => grouped(secret, 7, '\n') },
  { name: 'in lines, as JSON writes them', write: (secret) => JSON.stringify(grouped(secret, 7, '\r\n\t')) },
  { name: 'in lines of HTML', write: (secret) => grouped(secret, 7, '&#10;') },
  { name: 'by dashes', write: (secret) => grouped(secret, 4, '-') },
  { name: 'by blanks', write: (secret) => grouped(secret, 4, ' ') },
  { name: 'by invisible characters', write: (secret) => grouped(secret, 1, '\u200b') },
  { name: 'in a URL', write: (secret) => encodeURIComponent(`/?secret=${secret}`) },
  {
    name: 'with every character escaped as in a URL',
    write: (secret) =>
      bytesOf(secret)
        .map((byte) => `%${hexOf(byte)}`)
        .join(''),
  },
  {
    name: 'escaped as in a URL, twice',
    write: (secret) =>
      encodeURIComponent(
        bytesOf(secret)
          .map((byte) => `%${hexOf(byte).toUpperCase()}`)
          .join(''),
      ),
  },
  { name: 'with every character as an HTML entity', write: (secret) => each(secret, (code) => `&#${code};`) },
  {
    name: 'with every character as a hexadecimal entity',
    write: (secret) => each(secret, (code) => `&#X000${hexOf(code)};`),
  },
  { name: 'as entities of entities', write: (secret) => each(secret, (code) => `&amp;#x${hexOf(code)};`) },
  {
    name: 'with some characters escaped',
    write: (secret) =>
      Array.from(secret, (character, index) => (index % 3 === 0 ? `&#${character.charCodeAt(0)}` : character))
        .join(';')
        .replaceAll(/(?<!&#\d+);/g, ''),
  },
  {
    name: 'with every character escaped as in JSON',
    write: (secret) => each(secret, (code) => `\\u${hexOf(code, 4)}`),
  },
  {
    name: 'with every character escaped as in JavaScript',
    write: (secret) => each(secret, (code) => `\\u{${hexOf(code)}}`),
  },
  { name: 'with every character escaped as bytes', write: (secret) => each(secret, (code) => `\\x${hexOf(code)}`) },
  { name: 'in JSON in JSON', write: (secret) => JSON.stringify(JSON.stringify(JSON.stringify({ secret }))) },
  {
    name: 'escaped in JSON in JSON',
    write: (secret) => JSON.stringify(JSON.stringify(each(secret, (code) => `\\u${hexOf(code, 4)}`))),
  },
];

/** Parts of a secret: the beginning and the end of a long random secret are a secret, too. */
export const parts: readonly Form[] = [
  { name: 'cut at its end', write: (secret) => secret.slice(0, 20) },
  { name: 'cut at its beginning', write: (secret) => secret.slice(-20) },
  { name: 'cut, in hex', write: (secret) => Buffer.from(secret.slice(0, 20)).toString('hex') },
  { name: 'cut, in base64', write: (secret) => base64At(secret.slice(0, 22), 1) },
];

/** A random secret, as keys and tokens are. */
export function randomSecret(bytes = 24): string {
  return randomBytes(bytes).toString('hex');
}
