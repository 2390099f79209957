// The raw bodies of responses, beside their errors: no logger, serializer or debugger finds one in an error.

const bodies = new WeakMap<object, string>();

/** Characters. */
const maxBodyLength = 262_144;

/**
 * The raw body of the response that an error is about, at most 262144 characters. `undefined` for an error without a
 * response, and for the endpoints whose responses are secrets. The body may hold balances, orders, and whatever the
 * exchange repeats of a request: keep it out of logs.
 *
 * @example
 * ```ts
 * import { responseBodyOf } from 'exchange-rx';
 *
 * const isPage = (error: unknown) => responseBodyOf(error)?.trimStart().startsWith('<') === true;
 * ```
 */
export function responseBodyOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? bodies.get(error) : undefined;
}

/** Keeps the raw body for {@link responseBodyOf}. */
export function keepResponseBody(error: object, body: string | undefined): void {
  if (body === undefined) return;
  // Copied: a slice would keep the whole text in memory.
  const isLong = body.length > maxBodyLength;
  bodies.set(error, isLong ? Buffer.from(body.slice(0, maxBodyLength), 'utf16le').toString('utf16le') : body);
}
