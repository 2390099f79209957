// Reads the body of an error response. Bodies have more shapes than the spec's two: field messages at the top level or
// inside `message` or `data`, a list, plain text or HTML of the gateway, or nothing.
import { parameterNames, type Endpoint } from '../endpoint/index.js';
import type { ErrorResponse } from '../errors/index.js';
import { isRecord } from '../model/map.js';
import { plainName } from '../model/wire-names.js';
import type { SentRequest } from './outcome.js';
import { hidden, type Redactor } from './redactor.js';
import type { WireResponse } from './send.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Maximum characters that an error quotes of a response: message, and names and messages of fields, together. */
const maxQuoteLength = 4000;
/** Maximum fields, and messages of a field. */
const maxFields = 30;
const maxMessages = 10;

/**
 * What an error response says, in the fields of the exchange's envelope. It decides; an error quotes
 * {@link quoteErrorResponse}, because redaction may hide what decides.
 *
 * @param value the parsed body; `undefined` for a body that is not JSON
 */
export function readErrorResponse(status: number, value: unknown, endpoint: Endpoint): ErrorResponse {
  const record = isRecord(value) ? value : {};
  const errors = fieldErrorsOf(record, isSingleMessage(status, record, endpoint));
  return { status, code: codeOf(record), exchangeMessage: messageOf(record), errors };
}

/** Whether a response has nothing of the envelope. */
export function isForeign({ code, exchangeMessage, errors }: ErrorResponse): boolean {
  return code === undefined && exchangeMessage === undefined && Object.keys(errors).length === 0;
}

/**
 * What an error quotes of a response: the envelope without secrets. Any other body is described by its size and type.
 * Fields whose names are the same in what is quoted are merged.
 */
export function quoteErrorResponse(
  original: ErrorResponse,
  { headers, body }: Pick<WireResponse, 'headers' | 'body'>,
  { endpoint, redactor }: Pick<SentRequest, 'endpoint' | 'redactor'>,
): ErrorResponse {
  const isSecret = endpoint.confidential;
  const { status, code, exchangeMessage, errors } = isSecret ? withoutTexts(original, endpoint) : original;
  let left = maxQuoteLength;
  const quote = (text: string) => {
    if (left <= 0) return '';
    const quoted = redactor.quote(text, left);
    left -= text.length;
    return quoted;
  };
  const message = exchangeMessage === undefined ? undefined : quote(exchangeMessage);
  const quotedErrors = new Map<string, string[]>();
  for (const [field, messages] of Object.entries(errors)) {
    const name = quote(field);
    quotedErrors.set(name, [...(quotedErrors.get(name) ?? []), ...messages.map(quote)]);
  }
  return {
    ...{ status, code, exchangeMessage: message, errors: Object.fromEntries(quotedErrors) },
    ...(isForeign(original) ? { description: describeBody({ headers, body }, redactor) } : {}),
    body: isSecret ? undefined : body,
  };
}

/** A response of a confidential endpoint may hold another user's tokens: only a code and known names are quoted. */
function withoutTexts(response: ErrorResponse, endpoint: Endpoint): ErrorResponse {
  const { status, code, exchangeMessage, errors } = response;
  const isParameter = isParameterOf(endpoint);
  return {
    status,
    code: code !== undefined && isPlainCode(code) ? code : undefined,
    exchangeMessage: exchangeMessage === undefined ? undefined : hidden,
    errors: Object.fromEntries(Object.keys(errors).map((field) => [isParameter(field) ? field : hidden, [hidden]])),
  };
}

/** The exchange's codes have at most three digits; a one-time password has six. */
function isPlainCode(code: number): boolean {
  return Number.isInteger(code) && Math.abs(code) < 10_000;
}

/** A longer type, or one with other characters, may hold part of a secret. */
const contentType = /^\s*([\w.+-]{1,40}\/[\w.+-]{1,40})\s*(?:;|$)/;

/** Size and type of a body, such as "1,532 bytes of text/html". */
export function describeBody({ headers, body }: Pick<WireResponse, 'headers' | 'body'>, redactor: Redactor): string {
  const type = contentType.exec(headers['content-type'] ?? '')?.[1];
  const size = `${Buffer.byteLength(body).toLocaleString('en-US')} bytes`;
  return type === undefined ? size : `${size} of ${redactor.quote(type)}`;
}

/** Whether a name is that of a parameter; any other name may be a token. */
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

function fieldErrorsOf(
  record: JsonObject,
  isSingle: (place: unknown, field: string) => boolean,
): ErrorResponse['errors'] {
  const { errors, message, data } = record;
  for (const place of [errors, message, data, record]) {
    if (!isRecord(place)) continue;
    const fields = Object.entries(place).flatMap(([field, value]): [string, string[]][] => {
      const messages = typeof value === 'string' && value !== '' && isSingle(place, field) ? [value] : value;
      return isMessages(messages) ? [[field, messages.slice(0, maxMessages)]] : [];
    });
    if (fields.length > 0) return Object.fromEntries(fields.slice(0, maxFields));
  }
  return {};
}

function isMessages(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');
}
