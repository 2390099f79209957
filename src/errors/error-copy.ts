// Copies of errors that come from outside the package: only their texts are kept, because they may hold a request with
// its headers, or a response.
import { replaceUnprintable } from '../model/printable.js';

/** Bounds chains of causes, which may be endless or circular. */
const maxCauses = 8;
/** Bounds all errors of one report: an aggregate may hold itself many times. */
const maxErrors = 32;
/** An AggregateError of a failed connection has one error for each address of the host. */
const maxAggregated = 100;
/** A longer text is replaced as a whole: cut, it could end in a part of a secret, which redaction does not find. */
const maxTextLength = 16_384;

/**
 * Copies an error for a report: name, message, code, stack and causes, each through `redact`. A string becomes an
 * error; any other value gives `undefined`.
 */
export function copyError(error: unknown, redact: (text: string) => string = (text) => text): Error | undefined {
  let left = maxErrors;
  const quoted = (text: string) => printable(redact(bounded(text)));
  const copy = (one: unknown, depth: number): Error | undefined => {
    if (typeof one === 'string') return new Error(quoted(one));
    if (depth === 0 || left === 0 || !(one instanceof Error)) return undefined;
    left -= 1;
    const text = (property: string) => {
      const value: unknown = Reflect.get(one, property);
      return typeof value === 'string' ? quoted(value) : undefined;
    };
    const aggregated = errorsIn(one)?.map((inner) => copy(inner, depth - 1)?.message) ?? [];
    const messages = [text('message'), ...aggregated].filter((message) => message !== undefined && message !== '');
    const cause = copy(one.cause, depth - 1);
    const copied = new Error(messages.join('; '), cause === undefined ? {} : { cause });
    const [name, stack, code] = ['name', 'stack', 'code'].map(text);
    if (name !== undefined) Object.defineProperty(copied, 'name', { value: name, enumerable: false });
    if (stack !== undefined) copied.stack = stack;
    return code === undefined ? copied : Object.assign(copied, { code });
  };
  return copy(error, maxCauses);
}

/** The first code in a chain of causes, and the error that has it. `fetch` rejects with a TypeError without a code. */
export function findErrorCode(error: unknown): { readonly code: string; readonly bearer: unknown } | undefined {
  let bearer = error;
  for (let depth = maxCauses; depth > 0 && bearer instanceof Error; depth -= 1) {
    const code: unknown = Reflect.get(bearer, 'code');
    if (typeof code === 'string') return { code: bounded(code), bearer };
    bearer = bearer.cause;
  }
  return undefined;
}

/** The errors of an AggregateError; empty for any other error, `undefined` when they are too many. */
export function errorsIn(error: unknown): readonly unknown[] | undefined {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return errors.length > maxAggregated ? undefined : errors;
}

/** Loggers write these texts raw: only line breaks may stay, which a stack has. */
function printable(text: string): string {
  return text
    .split('\n')
    .map((line) => replaceUnprintable(line, () => ' '))
    .join('\n');
}

function bounded(text: string): string {
  return text.length > maxTextLength ? `a text of ${text.length} characters` : text;
}
