// Reads what the exchange says in the body of an error. Bodies come in more shapes than the spec's two: field messages bare or inside
// `message` or `data`, a list, plain text or HTML from the gateway, or nothing.
import type { ErrorAnswer } from '../errors.js';
import type { FieldErrors } from '../model/error-body.js';

type Json = Readonly<Record<string, unknown>>;

/** An answer's body as JSON; `undefined` when it is not. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** What an error answer says, whatever its shape. */
export function readErrorAnswer(status: number, body: string, confidential: boolean): ErrorAnswer {
  const json = parseJson(body);
  const record = isRecord(json) ? json : {};
  return {
    status,
    code: typeof record['code'] === 'number' ? record['code'] : undefined,
    exchangeMessage: messageOf(record),
    errors: fieldErrorsOf(record),
    body: confidential ? undefined : body,
  };
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function messageOf({ message, error }: Json): string | undefined {
  if (typeof message === 'string') return message;
  if (typeof error === 'string') return error;
  return isMessages(error) ? error.join(' ') : undefined;
}

function fieldErrorsOf(record: Json): FieldErrors {
  for (const place of [record['errors'], record['message'], record['data'], record]) {
    if (!isRecord(place)) continue;
    const fields = Object.entries(place).filter((entry): entry is [string, string[]] => isMessages(entry[1]));
    if (fields.length > 0) return Object.fromEntries(fields);
  }
  return {};
}

function isMessages(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');
}
