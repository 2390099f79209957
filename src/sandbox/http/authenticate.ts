// Authentication of signed requests: key, payload, signature and nonce, checked by the sandbox's own code.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parsedJson } from '../json.js';
import { notOfAccount, notOfKey, type Key } from '../keys.js';
import { Rejection } from '../rejection.js';

export interface SignedRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Maximum difference between a nonce and the exchange's clock with `nonceWindow`, milliseconds. */
const nonceWindowMs = 5000;
const forgetNoncesAbove = 50_000;

/** Key and signature come first, so that a client without a key gets nothing parsed. `now` is Unix milliseconds. */
export function authenticate(
  keys: ReadonlyMap<string, Key>,
  request: SignedRequest,
  now: number,
): { key: Key; fields: Fields } {
  const { path, body } = request;
  const key = signerOf(keys, request);
  const fields = jsonObject(body);
  // Live: a body with spaces is rejected.
  if (fields === undefined || hasSpaceOutsideStrings(body)) throw new Rejection(400, 9, 'Invalid payload.');
  if (!key.isEnabled) throw new Rejection(401, 2, 'This action is unauthorized. Enable your key in API settings');
  if (key.allowedPaths?.includes(path) === false) throw notOfKey();
  if (key.revokedPaths.includes(path)) throw notOfAccount();
  const refusal = key.refusalOf(path);
  if (refusal !== undefined) throw refusal;

  if (fields['request'] === undefined) throw new Rejection(400, 0, 'Request not provided.');
  if (fields['request'] !== path) throw new Rejection(400, 9, 'Invalid payload.');
  useNonce(key, fields, now);
  return { key, fields };
}

/** Whether a key of the sandbox signed the request, even if the request is invalid otherwise. */
export function isSigned(keys: ReadonlyMap<string, Key>, request: SignedRequest): boolean {
  try {
    signerOf(keys, request);
    return true;
  } catch {
    return false;
  }
}

export function signedFields(keys: ReadonlyMap<string, Key>, request: SignedRequest): Fields {
  return isSigned(keys, request) ? (jsonObject(request.body) ?? {}) : {};
}

function signerOf(keys: ReadonlyMap<string, Key>, { headers, body }: SignedRequest): Key {
  const payload = headers.get('x-txc-payload');
  if (payload === null) throw new Rejection(400, 0, 'Payload not provided.');
  const key = keys.get(headers.get('x-txc-apikey') ?? '');
  if (key === undefined) throw unauthorized();
  if (Buffer.from(payload, 'base64').toString('utf8') !== body) throw new Rejection(400, 9, 'Invalid payload.');
  if (!isSignedBy(key, payload, headers.get('x-txc-signature') ?? '')) throw unauthorized();
  return key;
}

function unauthorized(): Rejection {
  return new Rejection(401, 10, 'Unauthorized request.');
}

function jsonObject(text: string): Fields | undefined {
  const value = parsedJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

export function jsonFields(text: string): Fields {
  const value = parsedJson(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function hasSpaceOutsideStrings(body: string): boolean {
  return /\s/.test(body.replace(/"(?:[^"\\]|\\.)*"/g, ''));
}

function isSignedBy(key: Key, payload: string, signature: string): boolean {
  const expected = Buffer.from(createHmac('sha512', key.apiSecret).update(payload).digest('hex'));
  // Compares the number of bytes, because a header may contain characters of two bytes.
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function useNonce(key: Key, { nonce, nonceWindow }: Fields, now: number): void {
  if (nonce === undefined || nonce === '') throw new Rejection(400, 0, 'Nonce not provided.');
  if (nonceWindow !== undefined && typeof nonceWindow !== 'boolean')
    throw new Rejection(400, 0, 'Invalid nonceWindow.');
  const isNumeric = typeof nonce === 'number' || (typeof nonce === 'string' && /^\d+$/.test(nonce));
  const number = isNumeric ? Number(nonce) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new Rejection(400, 0, 'Nonce not provided.');

  if (nonceWindow === true) {
    if (number < now - nonceWindowMs)
      throw new Rejection(400, 0, 'Your nonce is more than 5 seconds lesser than the current nonce');
    if (number > now + nonceWindowMs)
      throw new Rejection(400, 0, 'Your nonce is more than 5 seconds greater than the current nonce');
    if (key.usedNonces.has(number)) throw nonceUsed();
  } else {
    if (number <= key.lastNonce) throw nonceUsed();
    key.lastNonce = number;
    // With nonceWindow, a nonce this far from the clock is rejected anyway.
    if (Math.abs(number - now) > nonceWindowMs) return;
  }
  const used = key.usedNonces;
  used.add(number);
  if (used.size < forgetNoncesAbove) return;
  for (const old of used) if (old < now - nonceWindowMs) used.delete(old);
}

function nonceUsed(): Rejection {
  return new Rejection(429, 0, 'Too many requests.');
}
