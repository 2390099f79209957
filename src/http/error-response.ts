// Reads the body of an error response. Bodies have more shapes than the spec's two: field messages at the top level or
// inside `message` or `data`, a list, plain text or HTML of the gateway, or nothing.
import { parameterNames, type Endpoint } from '../endpoint/index.js';
import type { ErrorResponse } from '../errors/index.js';
import { isRecord } from '../model/map.js';
import { plainName } from '../model/wire-names.js';
import { readJson } from './json.js';
import type { SentRequest } from './outcome.js';
import { hidden, isConfidential, type Redactor } from './redactor.js';
import type { WireResponse } from './send.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Maximum characters that an error quotes of a response: message, and names and messages of fields, together. */
const maxQuoteLength = 4000;
/** Bounds of what decides: characters of a message, fields, messages of a field. */
const maxMessageLength = 1000;
const maxFields = 30;
const maxMessages = 10;

/** One error response twice: `original` to decide by, `quoted` to report. */
export interface ErrorResponses {
  readonly original: ErrorResponse;
  readonly quoted: ErrorResponse;
}

/** What an error response says, in the fields of the exchange's envelope. */
interface Envelope {
  readonly status: number;
  readonly code: number | undefined;
  readonly message: string | undefined;
  readonly fields: readonly [string, readonly string[]][];
}

/**
 * Reads an error response of any shape. An error quotes only the envelope of the exchange; any other body is described
 * by its size and type.
 */
export function readErrorResponse(
  response: WireResponse,
  { endpoint, redactor }: Pick<SentRequest, 'endpoint' | 'redactor'>,
): ErrorResponses {
  const { status, body } = response;
  const json = readJson(body);
  const record = 'value' in json && isRecord(json.value) ? json.value : {};
  const fields = fieldErrorsOf(record, isSingleMessage(status, record, endpoint));
  const envelope: Envelope = { status, code: codeOf(record), message: messageOf(record), fields };
  const isBare = envelope.code === undefined && envelope.message === undefined && fields.length === 0;
  const secret = isConfidential(endpoint);
  let left = maxQuoteLength;
  const quote = (text: string) => {
    if (left <= 0) return '';
    const quoted = redactor.quote(text, left);
    left -= text.length;
    return quoted;
  };
  return {
    original: errorResponse(envelope, (text) => text.slice(0, maxMessageLength)),
    quoted: {
      ...errorResponse(secret ? withoutTexts(envelope, endpoint) : envelope, quote),
      ...(isBare ? { description: describeBody(response, redactor) } : {}),
      body: secret ? undefined : body,
    },
  };
}

/** A response of a confidential endpoint may hold another user's tokens: only a code and known names are quoted. */
function withoutTexts({ status, code, message, fields }: Envelope, endpoint: Endpoint): Envelope {
  const isParameter = isParameterOf(endpoint);
  return {
    status,
    code: code !== undefined && isPlainCode(code) ? code : undefined,
    message: message === undefined ? undefined : hidden,
    fields: fields.map(([field]) => [isParameter(field) ? field : hidden, [hidden]]),
  };
}

/** The exchange's codes have at most three digits; a one-time password has six. */
function isPlainCode(code: number): boolean {
  return Number.isInteger(code) && Math.abs(code) < 10_000;
}

/** Merges fields whose names are the same in what is quoted. */
function errorResponse({ status, code, message, fields }: Envelope, quote: (text: string) => string): ErrorResponse {
  const exchangeMessage = message === undefined ? undefined : quote(message);
  const errors = new Map<string, string[]>();
  for (const [field, messages] of fields) {
    const name = quote(field);
    errors.set(name, [...(errors.get(name) ?? []), ...messages.map(quote)]);
  }
  return { status, code, exchangeMessage, errors: Object.fromEntries(errors) };
}

/** A longer type, or one with other characters, may hold part of a secret. */
const contentType = /^\s*([\w.+-]{1,40}\/[\w.+-]{1,40})\s*(?:;|$)/;

/** Size and type of a body, such as "1,532 bytes of text/html". */
export function describeBody({ headers, body }: WireResponse, redactor: Redactor): string {
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

function isMessages(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');
}
