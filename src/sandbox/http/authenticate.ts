// Authentication of signed requests: key, payload, signature and nonce, checked by the sandbox's own code.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isRecord } from '../../model/map.js';
import { parsedJson } from '../json.js';
import { refusalOf, type Key } from '../keys.js';
import { Rejection } from '../rejection.js';
import type { Fields } from './fields.js';
import type { ArrivedRequest } from './route.js';

/** Maximum difference between a nonce and the exchange's clock with `nonceWindow`, milliseconds. */
const nonceWindowMs = 5000;
const forgetNoncesAbove = 50_000;

/** The key that signed a request, even one that is invalid otherwise; or why no key did. */
export function signerOf(keys: ReadonlyMap<string, Key>, { headers, body }: ArrivedRequest): Key | Rejection {
  const payload = headers.get('x-txc-payload');
  if (payload === null) return new Rejection(400, 0, 'Payload not provided.');
  const key = keys.get(headers.get('x-txc-apikey') ?? '');
  if (key === undefined) return unauthorized();
  if (Buffer.from(payload, 'base64').toString('utf8') !== body) return new Rejection(400, 9, 'Invalid payload.');
  return isSignedBy(key, payload, headers.get('x-txc-signature') ?? '') ? key : unauthorized();
}

/** Key and signature come first, so that a client without a key gets nothing parsed. `now` is Unix milliseconds. */
export function authenticate(signer: Key | Rejection, { path, body }: ArrivedRequest, now: number) {
  if (signer instanceof Rejection) throw signer;
  const fields = jsonFields(body);
  // Live: a body with spaces is rejected.
  if (fields === undefined || hasSpaceOutsideStrings(body)) throw new Rejection(400, 9, 'Invalid payload.');
  if (!signer.isEnabled) throw new Rejection(401, 2, 'This action is unauthorized. Enable your key in API settings');
  const refusal = refusalOf(signer, path);
  if (refusal !== undefined) throw refusal;

  if (fields['request'] === undefined) throw new Rejection(400, 0, 'Request not provided.');
  if (fields['request'] !== path) throw new Rejection(400, 9, 'Invalid payload.');
  useNonce(signer, fields, now);
  return { account: signer.account, fields };
}

const unauthorized = () => new Rejection(401, 10, 'Unauthorized request.');

export function jsonFields(text: string): Fields | undefined {
  const value = parsedJson(text);
  return isRecord(value) ? value : undefined;
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

const nonceUsed = () => new Rejection(429, 0, 'Too many requests.');
