// Who asks? Key, payload, signature and nonce, checked as the exchange checks them; by code of the sandbox's own.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Key } from '../keys.js';
import { Refusal } from '../refusal.js';

/** A private request as it arrived. */
export interface PrivateRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** The fields of a private request's body. */
export type Fields = Readonly<Record<string, unknown>>;

/** Milliseconds that a nonce may differ from the exchange's clock, in the window mode. */
const nonceWindowMs = 5000;

/**
 * The key that signed the request, and the request's fields; throws {@link Refusal}. `now` is Unix ms. The body is
 * parsed after key and signature have been checked: a stranger gets nothing parsed.
 */
export function authenticate(
  keys: ReadonlyMap<string, Key>,
  request: PrivateRequest,
  now: number,
): { key: Key; fields: Fields } {
  const { path, body } = request;
  const key = signerOf(keys, request);
  const fields = compactJson(body);
  if (fields === undefined) throw new Refusal(400, 9, 'Invalid payload.');
  if (!key.enabled) throw new Refusal(401, 2, 'This action is unauthorized. Enable your key in API settings');
  if (key.paths?.includes(path) === false)
    throw new Refusal(401, 4, 'This API Key is not authorized to perform this action.');
  if (key.lacking.includes(path))
    throw new Refusal(
      403,
      0,
      "You don't have permission to use this endpoint. Please contact support for more details.",
    );

  if (fields['request'] === undefined) throw new Refusal(400, 0, 'Request not provided.');
  if (fields['request'] !== path) throw new Refusal(400, 9, 'Invalid payload.');
  useNonce(key, fields, now);
  return { key, fields };
}

/** Whether a known key signed the request, whatever else is wrong with it. */
export function isSigned(keys: ReadonlyMap<string, Key>, request: PrivateRequest): boolean {
  try {
    signerOf(keys, request);
    return true;
  } catch {
    return false;
  }
}

/** The fields of a request that a known key signed; none of any other. */
export function signedFields(keys: ReadonlyMap<string, Key>, request: PrivateRequest): Fields {
  return isSigned(keys, request) ? (jsonObject(request.body) ?? {}) : {};
}

/** The key that signed the request; throws {@link Refusal}. Compares bytes, and parses none of them. */
function signerOf(keys: ReadonlyMap<string, Key>, { headers, body }: PrivateRequest): Key {
  const payload = headers.get('x-txc-payload');
  if (payload === null) throw new Refusal(400, 0, 'Payload not provided.');
  const key = keys.get(headers.get('x-txc-apikey') ?? '');
  if (key === undefined) throw unauthorized();
  if (Buffer.from(payload, 'base64').toString('utf8') !== body) throw new Refusal(400, 9, 'Invalid payload.');
  if (!isSignedBy(key, payload, headers.get('x-txc-signature') ?? '')) throw unauthorized();
  return key;
}

function unauthorized(): Refusal {
  return new Refusal(401, 10, 'Unauthorized request.');
}

/** The body's fields when it is a JSON object without spaces; the live exchange refuses any other. */
function compactJson(body: string): Fields | undefined {
  const fields = jsonObject(body);
  return fields === undefined || hasSpaceOutsideStrings(body) ? undefined : fields;
}

/** The fields of a text that is a JSON object. */
function jsonObject(text: string): Fields | undefined {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** The fields of a text that is a JSON object, or a list: by their position then. None of any other. */
export function jsonFields(text: string): Fields {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasSpaceOutsideStrings(body: string): boolean {
  return /\s/.test(body.replace(/"(?:[^"\\]|\\.)*"/g, ''));
}

function isSignedBy(key: Key, payload: string, signature: string): boolean {
  const expected = Buffer.from(createHmac('sha512', key.apiSecret).update(payload).digest('hex'));
  // Bytes are counted, not characters: a header may hold characters of two bytes.
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function useNonce(key: Key, { nonce, nonceWindow }: Fields, now: number): void {
  if (nonce === undefined || nonce === '') throw new Refusal(400, 0, 'Nonce not provided.');
  if (nonceWindow !== undefined && typeof nonceWindow !== 'boolean') throw new Refusal(400, 0, 'Invalid nonceWindow.');
  const isNumeric = typeof nonce === 'number' || (typeof nonce === 'string' && /^\d+$/.test(nonce));
  const number = isNumeric ? Number(nonce) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new Refusal(400, 0, 'Nonce not provided.');

  if (nonceWindow === true) {
    if (number < now - nonceWindowMs)
      throw new Refusal(400, 0, 'Your nonce is more than 5 seconds lesser than the current nonce');
    if (number > now + nonceWindowMs)
      throw new Refusal(400, 0, 'Your nonce is more than 5 seconds greater than the current nonce');
    if (key.usedNonces.has(number)) throw usedNonce();
  } else {
    if (number <= key.lastNonce) throw usedNonce();
    key.lastNonce = number;
    // One that is far from the clock is no time: the window will not let it in.
    if (Math.abs(number - now) > nonceWindowMs) return;
  }
  key.usedNonces.add(number);
  forgetOld(key.usedNonces, now);
}

function usedNonce(): Refusal {
  return new Refusal(429, 0, 'Too many requests.');
}

/** A nonce that has left the window cannot be used again anyway. */
function forgetOld(used: Set<number>, now: number): void {
  const many = 50_000;
  if (used.size < many) return;
  for (const nonce of used) if (nonce < now - nonceWindowMs) used.delete(nonce);
}
