// Reads what the exchange says in the body of an error. Bodies come in more shapes than the spec's two: field messages bare or inside
// `message` or `data`, a list, plain text or HTML from the gateway, or nothing.
import type { ErrorAnswer } from '../errors.js';
import type { FieldErrors } from '../model/error-body.js';
import { maxQuotedLength } from './bounded-redact.js';
import { readJson } from './json.js';
import type { Redact } from './redact.js';

type Json = Readonly<Record<string, unknown>>;

/** What is kept of the exchange's messages apart from the body: so many characters of each, fields, and messages of a field. */
const longestMessage = 1000;
const mostFields = 30;
const mostMessages = 10;

/** What an error answer says, whatever its shape. Secrets are taken out of what was read, not before: what is left need not be JSON. */
export function readErrorAnswer(status: number, body: string, redact: Redact, confidential: boolean): ErrorAnswer {
  const json = body.length > maxQuotedLength ? { problem: 'is too long' } : readJson(body);
  const record = 'value' in json && isRecord(json.value) ? json.value : {};
  // First what is secret is taken out, then what is long is cut: a part of a secret would not be known as one.
  const short = (message: string) => redact(message).slice(0, longestMessage);
  const message = messageOf(record);
  return {
    status,
    code: codeOf(record),
    exchangeMessage: message === undefined ? undefined : short(message),
    errors: fieldErrorsOf(record, short),
    body: confidential ? undefined : redact(body),
  };
}

/** A number, or its digits as text. */
function codeOf({ code }: Json): number | undefined {
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : undefined;
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function messageOf({ message, error }: Json): string | undefined {
  if (typeof message === 'string') return message;
  if (typeof error === 'string') return error;
  return isMessages(error) ? error.join(' ') : undefined;
}

function fieldErrorsOf(record: Json, short: (message: string) => string): FieldErrors {
  for (const place of [record['errors'], record['message'], record['data'], record]) {
    if (!isRecord(place)) continue;
    const fields = Object.entries(place).filter((entry): entry is [string, string[]] => isMessages(entry[1]));
    if (fields.length > 0) return Object.fromEntries(fields.slice(0, mostFields).map(([field, messages]) => [short(field), messages.slice(0, mostMessages).map(short)]));
  }
  return {};
}

function isMessages(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');
}
