// The border for the caller: options and arguments are parsed once, where they enter, into plain data. An option with an
// unknown name, a wrong type or a value out of range is rejected at once: ignored, it would be noticed when it has cost
// money.
import * as v from 'valibot';
import { isPlainObject, isRecord } from '../model/map.js';
import { RequestError, type RequestIssue } from './call-errors.js';

/** The maximum delay of a timer, milliseconds: about 25 days. A timer with a longer delay fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

export type Rule<Value> = v.GenericSchema<unknown, Value>;

/** One rule for each option. The compiler requires a rule for every option of the interface. */
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: Rule<Exclude<Options[Name], undefined>> };

/**
 * The value as plain data; throws {@link RequestError} with every issue.
 *
 * @param where the function or endpoint that received the value
 * @param argument the name of the value; left out for options
 */
export function parse<Value>(where: string, rule: Rule<Value>, value: unknown, argument?: string): Value {
  const result = v.safeParse(rule, value);
  if (result.success) return result.output;
  throw new RequestError(where, describe(where, result.issues, argument));
}

function describe(where: string, issues: readonly v.BaseIssue<unknown>[], argument?: string): RequestIssue[] {
  return issues.map((issue) => {
    const place = [argument, v.getDotPath(issue)].filter((part) => typeof part === 'string');
    const isUnknown = issue.type === 'strict_object' && issue.expected === 'never';
    const message = isUnknown ? `is not an option of ${where}${issue.message}` : issue.message;
    return { field: place.length === 0 ? 'options' : place.join('.'), message };
  });
}

/** An object of options. An option that is `undefined` counts as omitted. */
export function optionsOf<Options extends object>(
  rules: OptionRules<Options>,
  required: readonly (keyof Options & string)[] = [],
): Rule<Options> {
  const isRequired = (name: string) => required.some((one) => one === name);
  const entries = Object.fromEntries(
    Object.entries<Rule<unknown>>(rules).map(([name, rule]) => [name, isRequired(name) ? rule : v.exactOptional(rule)]),
  );
  const names = Object.keys(entries);
  const options = v.strictObject(entries, ({ expected, input }) =>
    expected === 'never' ? suggestName(String(input), names) : 'is required',
  );
  // TypeScript does not infer the output of entries that depend on a type parameter: the type of `rules` ensures it.
  const parsed: Rule<unknown> = v.pipe(given(required), options);
  return v.pipe(parsed, v.custom<Options>(isRecord));
}

/** An object with any names, whose values follow one rule. */
export function eachByName<Value>(rule: Rule<Value>): Rule<Readonly<Record<string, Value>>> {
  return v.pipe(given([]), v.record(v.string(), rule));
}

/** An object without its properties that are `undefined`. */
function given(required: readonly string[]) {
  const message = ({ input }: v.BaseIssue<unknown>) => {
    if (isRecord(input)) return 'must be a plain object: accessors and inherited properties would be ignored';
    // Not quoted: text in the place of options may be a secret, or an address with a password.
    if (input !== undefined) return 'must be an object';
    return required.length === 0 ? 'are required' : `are required: at least { ${required.join(', ')} }`;
  };
  const isGiven = ([, value]: readonly [string, unknown]) => value !== undefined;
  return v.pipe(
    v.custom<Readonly<Record<string, unknown>>>(isPlainObject, message),
    v.transform((options) => Object.fromEntries(Object.entries(options).filter(isGiven))),
  );
}

/** A value that passes a test. The message quotes the value before the text. */
export function rule<Value>(test: (value: unknown) => boolean, text: string): Rule<Value> {
  return v.custom<Value>(test, ({ input }) => `${quote(input)} ${text}`);
}

/** A value that passes a test, and that no message quotes: it is an object, or may hold a secret. */
export function unquoted<Value>(test: (value: unknown) => boolean, text: string): Rule<Value> {
  return v.custom<Value>(test, text);
}

export const durationFrom0 = rule<number>((value) => isNumber(value, 0, maxTimerMs), `must be from 0 to ${maxTimerMs}`);

/** A duration in milliseconds above 0, where 0 would end at once or repeat without a pause. */
export const durationAbove0 = rule<number>(
  (value) => isNumber(value, 0, maxTimerMs) && value !== 0,
  `must be above 0 and at most ${maxTimerMs}`,
);

/** An integer. */
export function count(min = 1, max = Number.POSITIVE_INFINITY): Rule<number> {
  const range = max === Number.POSITIVE_INFINITY ? `of ${min} or more` : `from ${min} to ${max}`;
  return rule((value) => Number.isInteger(value) && isNumber(value, min, max), `must be an integer ${range}`);
}

/** An integer, or Infinity for no maximum. */
export function countOrInfinity(min: number): Rule<number> {
  return rule(
    (value) => isNumber(value, min) && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
    `must be an integer of ${min} or more, or Infinity`,
  );
}

/** A number. Infinity is valid, because there is no maximum. */
export function numberFrom(min: number): Rule<number> {
  return rule((value) => isNumber(value, min), `must be ${min} or more`);
}

export function oneOf<Value extends string | number>(...values: readonly Value[]): Rule<Value> {
  return rule((value) => values.some((allowed) => allowed === value), `must be one of ${values.join(', ')}`);
}

export const trueOrFalse = rule<boolean>((value) => typeof value === 'boolean', 'must be true or false');

export function aFunction<Called>(): Rule<Called> {
  return rule((value) => typeof value === 'function', 'must be a function');
}

/** An object with these methods; `expected` completes the message "must be …". */
export function withMethods<Type>(expected: string, ...methods: readonly string[]): Rule<Type> {
  const hasMethods = (value: object) => methods.every((method) => typeof Reflect.get(value, method) === 'function');
  return unquoted((value) => typeof value === 'object' && value !== null && hasMethods(value), `must be ${expected}`);
}

export function anObservable<Type>(): Rule<Type> {
  return withMethods('an Observable', 'subscribe');
}

/** Any value: it is checked elsewhere. */
export function anything<Type>(): Rule<Type> {
  return v.custom<Type>(() => true);
}

/** A value as messages show it. Objects and functions are not quoted, because they may hold a secret. */
export function quote(value: unknown): string {
  if (typeof value === 'string')
    return value.length > maxQuotedLength
      ? `${JSON.stringify(value.slice(0, maxQuotedLength))}…`
      : JSON.stringify(value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return '[…]';
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
}

const maxQuotedLength = 40;

function isNumber(value: unknown, min: number, max = Number.POSITIVE_INFINITY): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

/** Maximum edits between a misspelled name and the one that was meant; with more edits it is another word. */
const maxEdits = 2;

/** What other libraries call an option or a parameter. */
const otherNames: Readonly<Record<string, string>> = {
  ...{ symbol: 'market', pair: 'market', instrument: 'market' },
  ...{ quantity: 'amount', qty: 'amount', size: 'amount', volume: 'amount' },
  ...{ apikey: 'credentials', apisecret: 'credentials', key: 'credentials', secret: 'credentials' },
};
const suggestions: Readonly<Record<string, string>> = { credentials: 'credentials: { apiKey, apiSecret }' };

/** `; did you mean maxRetries?`, or an empty text when no known name is near. */
export function suggestName(name: string, known: readonly string[]): string {
  const given = name.toLowerCase();
  const other = Object.hasOwn(otherNames, given) ? (otherNames[given] ?? '') : '';
  if (known.includes(other)) return `; did you mean ${suggestions[other] ?? other}?`;
  const distances = known.map((candidate) => ({ candidate, edits: editsTo(given, candidate.toLowerCase()) }));
  const near = distances.filter(({ candidate, edits }) => edits <= maxEdits && edits < candidate.length / 2);
  const [nearest] = near.sort((one, other) => one.edits - other.edits);
  return nearest === undefined ? '' : `; did you mean ${nearest.candidate}?`;
}

/** The beginning or end of a name counts as one edit: `timeout` for `timeoutMs`, `retries` for `maxRetries`. */
function editsTo(given: string, candidate: string): number {
  const isPart = given.length > 3 && (candidate.startsWith(given) || candidate.endsWith(given));
  return Math.min(isPart ? 1 : maxEdits + 1, distance(given, candidate));
}

/** Levenshtein distance: insert, remove or replace a letter. */
function distance(one: string, other: string): number {
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 0; row < one.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (last[column] ?? 0) + (one[row] === other[column] ? 0 : 1);
      current.push(Math.min(replaced, (last[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    last = current;
  }
  return last[other.length] ?? 0;
}
