// Values that others made: what a `fetch`, a schema, a hook or a caller threw or gave. Their getters may throw, their
// proxies may be revoked, their causes may have no end. They are read through these functions, none of which throws
// whatever the value is.

/** A property of a value; `undefined` where there is none, or where it cannot be read. */
export function readProperty(value: unknown, property: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return tryOr(() => Reflect.get(value, property) as unknown, undefined);
}

/** What a function returns; where it throws, something else. */
export function tryOr<Result, Otherwise>(run: () => Result, otherwise: Otherwise): Result | Otherwise {
  try {
    return run();
  } catch {
    return otherwise;
  }
}

/** `instanceof`, which looks for prototypes: a proxy may fail at that. */
export function isInstance<Type>(value: unknown, type: abstract new (...args: never[]) => Type): value is Type {
  return tryOr(() => value instanceof type, false);
}

/**
 * Whether it is a promise, of whatever library, where none is expected. Nobody waits for it: its rejection is not to
 * count as unhandled.
 */
export function isPromise(value: unknown): boolean {
  if (typeof readProperty(value, 'then') !== 'function') return false;
  new Promise((resolve) => {
    resolve(value);
  }).catch(() => undefined);
  return true;
}

/** Causes may go round in a circle, or have no end. */
const maxCauses = 8;
/** Errors of several errors may hold themselves many times over. */
const maxErrors = 32;
/** An error of several has one for each address of a host. */
const maxSeveral = 100;
/**
 * A text that is longer tells nobody anything. Cut off, it could end in a part of a secret, which nobody would know as
 * one.
 */
const maxText = 16_384;

/**
 * An error as it is reported: name, message, code, stack and causes, each through `redact`. What else it holds stays
 * out: it may be a request, or a response. A text becomes an error; of anything else that is no error, nothing is
 * known.
 */
export function copyError(error: unknown, redact: (text: string) => string = (text) => text): Error | undefined {
  let left = maxErrors;
  const account = (one: unknown, depth: number): Error | undefined => {
    if (typeof one === 'string') return new Error(redact(bounded(one)));
    if (depth === 0 || left === 0 || !isInstance(one, Error)) return undefined;
    left -= 1;
    const text = (property: string) => {
      const value = readProperty(one, property);
      return typeof value === 'string' ? redact(bounded(value)) : undefined;
    };
    const several = errorsIn(one)?.map((inner) => account(inner, depth - 1)?.message) ?? [];
    const messages = [text('message'), ...several].filter((message) => message !== undefined && message !== '');
    const cause = account(readProperty(one, 'cause'), depth - 1);
    const copy = new Error(messages.join('; '), cause === undefined ? {} : { cause });
    const [name, stack, code] = ['name', 'stack', 'code'].map(text);
    if (name !== undefined) Object.defineProperty(copy, 'name', { value: name, enumerable: false });
    if (stack !== undefined) copy.stack = stack;
    return code === undefined ? copy : Object.assign(copy, { code });
  };
  return account(error, maxCauses);
}

/**
 * The code of an error, or of the first of its causes that has one, and the error that has it. `fetch` rejects with a
 * TypeError whose cause has it.
 */
export function findErrorCode(error: unknown): { readonly code: string; readonly bearer: unknown } | undefined {
  let bearer = error;
  for (let depth = maxCauses; depth > 0 && isInstance(bearer, Error); depth -= 1) {
    const code = readProperty(bearer, 'code');
    if (typeof code === 'string') return { code: bounded(code), bearer };
    bearer = readProperty(bearer, 'cause');
  }
  return undefined;
}

/**
 * The errors of an error of several; empty when it has none or is of one, `undefined` when they cannot be read, or are
 * too many.
 */
export function errorsIn(error: unknown): readonly unknown[] | undefined {
  if (!isInstance(error, AggregateError)) return [];
  const errors = readProperty(error, 'errors');
  const length = tryOr(() => Array.isArray(errors), false) ? readProperty(errors, 'length') : undefined;
  if (typeof length !== 'number' || length > maxSeveral) return undefined;
  return Array.from({ length }, (_, index) => readProperty(errors, index));
}

function bounded(text: string): string {
  return text.length > maxText ? `a text of ${text.length} characters` : text;
}
