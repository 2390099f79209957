// Values of other code: thrown or returned by a user's `fetch`, schema, hook or options. Their getters may throw and
// their proxies may be revoked. The functions of this file never throw.

/** A property of a value; `undefined` when it is missing or cannot be read. */
export function readProperty(value: unknown, property: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return Reflect.get(value, property) as unknown;
  } catch {
    return undefined;
  }
}

/** The result of a function, or `fallback` when the function throws. */
export function tryOr<Result, Fallback>(run: () => Result, fallback: Fallback): Result | Fallback {
  try {
    return run();
  } catch {
    return fallback;
  }
}

/** `instanceof` that is false for a revoked proxy, where the operator throws. */
export function isInstance<Type>(value: unknown, type: abstract new (...args: never[]) => Type): value is Type {
  return tryOr(() => value instanceof type, false);
}

/**
 * Whether a value is a promise of any library, where a plain value is expected. Handles the promise's rejection,
 * because an unhandled rejection ends the process.
 */
export function isPromise(value: unknown): boolean {
  if (typeof readProperty(value, 'then') !== 'function') return false;
  new Promise((resolve) => {
    resolve(value);
  }).catch(() => undefined);
  return true;
}
