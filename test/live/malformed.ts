// Random malformed frames: the same for market data and for the account.
import fc from 'fast-check';

/** A value at a random place is replaced by any other. */
export function changed(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return replacement;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return replacement;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  Reflect.set(copy, key, changed(Reflect.get(value, key), rest, replacement));
  return copy;
}

const replacement$ = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '0',
    '-1',
    'NaN',
    '1e400',
    '1'.repeat(300),
    -1,
    1e308,
    2 ** 60,
    true,
    {},
    [],
    [[]],
  ),
  fc.jsonValue(),
);
/** A frame that is not JSON or no message, or a push with one value replaced. */
export const frame$ = fc.oneof(
  { weight: 8, arbitrary: fc.record({ path: fc.array(fc.nat(12), { maxLength: 4 }), replacement: replacement$ }) },
  { weight: 1, arbitrary: fc.string().map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => ({ text: JSON.stringify(value) })) },
);
