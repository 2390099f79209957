// Reads the body of an error response. Bodies have more shapes than the spec's two: field messages at the top level or
// inside `message` or `data`, a list, plain text or HTML of the gateway, or nothing.
import { parameterNames, type Endpoint } from '../endpoint/index.js';
import type { ErrorResponse } from '../errors/index.js';
import type { FieldErrors } from '../model/error-body.js';
import { isRecord } from '../model/map.js';
import { plainName } from '../model/wire-names.js';
import { readJson } from './json.js';
import { hidden, maxQuotedLength, type Redact } from './redact.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Bounds of the messages that are kept beside the body: characters of a message, fields, messages of a field. */
const maxMessageLength = 1000;
const maxFields = 30;
const maxMessages = 10;

/** One error response twice: `original` to decide by, `redacted` to report. */
export interface ErrorResponses {
  readonly original: ErrorResponse;
  readonly redacted: ErrorResponse;
}

/**
 * Reads an error response of any shape. Secrets are removed from the values that were read, not from the body before:
 * the rest of the body need not be JSON.
 */
export function readErrorResponse(status: number, body: string, endpoint: Endpoint, redact: Redact): ErrorResponses {
  const json = body.length > maxQuotedLength ? { problem: 'is too long' } : readJson(body);
  const record = 'value' in json && isRecord(json.value) ? json.value : {};
  const confidential = endpoint.confidential === true;
  const shorten = (message: string) => message.slice(0, maxMessageLength);
  // Redacted before it is cut: redaction does not find a part of a secret.
  const redactMessage = (message: string) =>
    confidential ? keepPlainWords(redact(message, maxMessageLength)) : redact(message, maxMessageLength);
  const isKnownField = confidential ? isParameterOf(endpoint) : () => true;
  const message = messageOf(record);
  const fields = fieldErrorsOf(record, isSingleMessage(status, record, endpoint));
  const code = codeOf(record);
  const exchangeMessage = message === undefined ? undefined : redactMessage(message);
  const errors = fieldErrors(
    fields,
    (field) => (isKnownField(field) ? redact(field, maxMessageLength) : hidden),
    redactMessage,
  );
  const isSplit = isSplitSecret(exchangeMessage, errors, redact);
  return {
    original: {
      status,
      code,
      exchangeMessage: message === undefined ? undefined : shorten(message),
      errors: fieldErrors(fields, shorten, shorten),
      body: undefined,
    },
    redacted: {
      status,
      code: confidential && code !== undefined && !isPlainCode(code) ? undefined : code,
      exchangeMessage: isSplit ? hidden : exchangeMessage,
      errors: isSplit ? {} : errors,
      body: confidential ? undefined : isSplit ? hidden : redact(body),
    },
  };
}

/** Whether a secret is split over several messages or field names. */
function isSplitSecret(exchangeMessage: string | undefined, errors: FieldErrors, redact: Redact): boolean {
  const messages = [exchangeMessage ?? '', ...Object.values(errors).flat()].join(' ');
  return [messages, Object.keys(errors).join(' ')].some((text) => text.trim() !== hidden && redact(text) === hidden);
}

/** A word, or words joined as in names, with surrounding punctuation: never a token. */
const plainWord =
  /^\W{0,3}(?:[a-z]{1,15}|[A-Z][a-z]{0,14}|[A-Z]{1,15})(?:[-_.'’/](?:[a-z]{1,15}|[A-Z][a-z]{0,14}|[A-Z]{1,15})){0,3}\W{0,3}$/;

/** Keeps the plain words of a text: a response of a confidential endpoint may hold another user's tokens. */
function keepPlainWords(text: string): string {
  const isWhole = (word: string, offset: number) => offset + word.length < maxMessageLength;
  return text.replace(/\S+/g, (word, offset: number) =>
    word === hidden || (plainWord.test(word) && isWhole(word, offset)) ? word : hidden,
  );
}

/** The exchange's codes have at most three digits; a one-time password has six. */
function isPlainCode(code: number): boolean {
  return Number.isInteger(code) && Math.abs(code) < 10_000;
}

/** A field name that is not a parameter may be a token. */
function isParameterOf(endpoint: Endpoint): (field: string) => boolean {
  let names: readonly string[] | undefined;
  return (field) => {
    names ??= parameterNames(endpoint).map(plainName);
    return names.includes(plainName(field));
  };
}

/** The code may be a number, or digits in a string. */
function codeOf({ code }: JsonObject): number | undefined {
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : undefined;
}

function messageOf({ message, error }: JsonObject): string | undefined {
  if (typeof message === 'string') return message;
  if (typeof error === 'string') return error;
  return isMessages(error) ? error.join(' ') : undefined;
}

const fieldErrorStatuses: readonly number[] = [400, 422];

/**
 * Which texts are messages about a field without being in a list. Only errors of reads have such messages: elsewhere a
 * text may repeat a parameter, and a request that was executed would count as rejected. At the top level, the body must
 * have nothing but messages.
 */
function isSingleMessage(
  status: number,
  record: JsonObject,
  endpoint: Endpoint,
): (place: unknown, field: string) => boolean {
  if (endpoint.safety !== 'read') return () => false;
  const isParameter = isParameterOf(endpoint);
  const isBare =
    fieldErrorStatuses.includes(status) && !['code', 'message', 'errors', 'data'].some((name) => name in record);
  return (place, field) => place === record['errors'] || place === record['message'] || (isBare && isParameter(field));
}

function fieldErrorsOf(record: JsonObject, isSingle: (place: unknown, field: string) => boolean): [string, string[]][] {
  const { errors, message, data } = record;
  for (const place of [errors, message, data, record]) {
    if (!isRecord(place)) continue;
    const fields = Object.entries(place).flatMap(([field, value]): [string, string[]][] => {
      const messages = typeof value === 'string' && value !== '' && isSingle(place, field) ? [value] : value;
      return isMessages(messages) ? [[field, messages.slice(0, maxMessages)]] : [];
    });
    if (fields.length > 0) return fields.slice(0, maxFields);
  }
  return [];
}

/** Merges fields that have one name after redaction. */
function fieldErrors(
  fields: readonly [string, string[]][],
  name: (field: string) => string,
  text: (message: string) => string,
): FieldErrors {
  const errors = new Map<string, string[]>();
  for (const [field, messages] of fields) {
    const redactedName = name(field);
    errors.set(redactedName, [...(errors.get(redactedName) ?? []), ...messages.map(text)]);
  }
  return Object.fromEntries(errors);
}

function isMessages(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');
}
