// Reads what the exchange says in the body of an error. Bodies come in more shapes than the spec's two: field messages
// bare or inside `message` or `data`, a list, plain text or HTML from the gateway, or nothing.
import { parameterNames, type Endpoint } from '../endpoints/define-endpoint.js';
import type { ErrorResponse } from '../errors/index.js';
import type { FieldErrors } from '../model/error-body.js';
import { readJson } from './json.js';
import { hidden, maxQuotedLength, type Redact } from './redact.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * What is kept of the exchange's messages apart from the body: so many characters of each, fields, and messages of a
 * field.
 */
const maxMessageLength = 1000;
const maxFields = 30;
const maxMessages = 10;

/** What an error answer says: as it is decided by, and as it is told, without secrets. */
export interface ErrorResponses {
  readonly said: ErrorResponse;
  readonly told: ErrorResponse;
}

/**
 * What an error answer says, whatever its shape. Secrets are taken out of what was read, not before: what is left need
 * not be JSON.
 */
export function readErrorResponse(status: number, body: string, endpoint: Endpoint, redact: Redact): ErrorResponses {
  const json = body.length > maxQuotedLength ? { problem: 'is too long' } : readJson(body);
  const record = 'value' in json && isRecord(json.value) ? json.value : {};
  const confidential = endpoint.confidential === true;
  const asRead = (message: string) => message.slice(0, maxMessageLength);
  // First what is secret is taken out, then what is long is cut: a part of a secret would not be known as one.
  const asTold = (message: string) =>
    confidential ? plainWords(redact(message, maxMessageLength)) : redact(message, maxMessageLength);
  const isNamed = confidential ? isParameterOf(endpoint) : () => true;
  const message = messageOf(record);
  const fields = fieldErrorsOf(record);
  const code = codeOf(record);
  const exchangeMessage = message === undefined ? undefined : asTold(message);
  const errors = fieldErrors(fields, (field) => (isNamed(field) ? redact(field, maxMessageLength) : hidden), asTold);
  const isSplit = isSplitSecret(exchangeMessage, errors, redact);
  return {
    said: {
      status,
      code,
      exchangeMessage: message === undefined ? undefined : asRead(message),
      errors: fieldErrors(fields, asRead, asRead),
      body: undefined,
    },
    told: {
      status,
      code: confidential && code !== undefined && !isPlainCode(code) ? undefined : code,
      exchangeMessage: isSplit ? hidden : exchangeMessage,
      errors: isSplit ? {} : errors,
      body: confidential ? undefined : isSplit ? hidden : redact(body),
    },
  };
}

/** A secret may be split over several messages, or over the names of fields. */
function isSplitSecret(exchangeMessage: string | undefined, errors: FieldErrors, redact: Redact): boolean {
  const messages = [exchangeMessage ?? '', ...Object.values(errors).flat()].join(' ');
  return [messages, Object.keys(errors).join(' ')].some((text) => text.trim() !== hidden && redact(text) === hidden);
}

/** A word, or several as names put them together, with the punctuation around it: no token. */
const plainWord =
  /^\W{0,3}(?:[a-z]{1,15}|[A-Z][a-z]{0,14}|[A-Z]{1,15})(?:[-_.'’/](?:[a-z]{1,15}|[A-Z][a-z]{0,14}|[A-Z]{1,15})){0,3}\W{0,3}$/;

/** A text with its plain words only: a response of a confidential endpoint may hold the tokens of anybody. */
function plainWords(text: string): string {
  const isWhole = (word: string, offset: number) => offset + word.length < maxMessageLength;
  return text.replace(/\S+/g, (word, offset: number) =>
    word === hidden || (plainWord.test(word) && isWhole(word, offset)) ? word : hidden,
  );
}

/** The exchange's codes have up to three digits, a one-time password has six. */
function isPlainCode(code: number): boolean {
  return Number.isInteger(code) && Math.abs(code) < 10_000;
}

/** A name that is no parameter may be a token. */
function isParameterOf(endpoint: Endpoint): (field: string) => boolean {
  const names = parameterNames(endpoint).map(plainName);
  return (field) => names.includes(plainName(field));
}

/** The same for both of a field's names on the wire, `client_order_id` and `clientOrderId`. */
export function plainName(field: string): string {
  return field.replaceAll('_', '').toLowerCase();
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

function fieldErrorsOf(record: Json): [string, string[]][] {
  for (const place of [record['errors'], record['message'], record['data'], record]) {
    if (!isRecord(place)) continue;
    const fields = Object.entries(place).filter((entry): entry is [string, string[]] => isMessages(entry[1]));
    if (fields.length > 0)
      return fields.slice(0, maxFields).map(([field, messages]) => [field, messages.slice(0, maxMessages)]);
  }
  return [];
}

/** Fields whose names are hidden have one name. */
function fieldErrors(
  fields: readonly [string, string[]][],
  name: (field: string) => string,
  text: (message: string) => string,
): FieldErrors {
  const errors = new Map<string, string[]>();
  for (const [field, messages] of fields) {
    const named = name(field);
    errors.set(named, [...(errors.get(named) ?? []), ...messages.map(text)]);
  }
  return Object.fromEntries(errors);
}

function isMessages(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');
}
