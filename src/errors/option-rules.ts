// What the options of a function may be. An option of another name, type or range is refused where it is given:
// ignored, it would be missed only when money depends on it.
import { RequestError, type RequestIssue } from './call-errors.js';
import { tryOr } from './foreign-value.js';

/** The maximum delay of a timer, milliseconds: about 25 days. A timer with a longer delay fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Checks one option: nothing when the value is valid, else what is wrong with it, or with each of the options inside
 * it.
 */
export type Rule = (value: unknown, where: string) => string | readonly RequestIssue[] | undefined;

/** A rule for each option. An option that is added to the interface has to be added here: the compiler asks for it. */
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: Rule };

/**
 * Throws {@link RequestError} for what is no object of these options; `where` is the function or endpoint that they
 * were given to. An option that is `undefined` counts as left out. No object and no secret is quoted.
 */
export function checkByRules(
  where: string,
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
): void {
  const issues = tryOr(() => issuesOf(options, rules, where, required), unreadable('options'));
  if (issues.length > 0) throw new RequestError(where, issues);
}

/** Throws {@link RequestError} for an argument that breaks its rule. */
export function checkArgument(where: string, field: string, value: unknown, rule: Rule): void {
  const issues = tryOr(() => findIssues(field, value, rule, where), unreadable(field));
  if (issues.length > 0) throw new RequestError(where, issues);
}

/** A getter of it throws, or it is a proxy that does. */
function unreadable(field: string): readonly RequestIssue[] {
  return [{ field, message: 'could not be read' }];
}

/** A duration in milliseconds that may be 0. */
export const durationFrom0: Rule = (value) =>
  isNumber(value, 0, maxTimerMs) ? undefined : `${quote(value)} must be from 0 to ${maxTimerMs}`;

/** A duration in milliseconds above 0: one of 0 would end, or come again, at once. */
export const durationAbove0: Rule = (value) =>
  isNumber(value, 0, maxTimerMs) && value !== 0
    ? undefined
    : `${quote(value)} must be above 0 and at most ${maxTimerMs}`;

/** An integer. */
export function count(min = 1, max = Number.POSITIVE_INFINITY): Rule {
  const range = max === Number.POSITIVE_INFINITY ? `of ${min} or more` : `from ${min} to ${max}`;
  return (value) =>
    Number.isInteger(value) && isNumber(value, min, max) ? undefined : `${quote(value)} must be an integer ${range}`;
}

/** An integer, or Infinity for no bound. */
export function countOrInfinity(min: number): Rule {
  const isCount = count(min);
  return (value, where) => {
    if (value === Number.POSITIVE_INFINITY) return undefined;
    return isCount(value, where) === undefined
      ? undefined
      : `${quote(value)} must be an integer of ${min} or more, or Infinity`;
  };
}

/** A number; Infinity where there is no maximum. */
export function numberFrom(min: number, max = Number.POSITIVE_INFINITY): Rule {
  const range = max === Number.POSITIVE_INFINITY ? `${min} or more` : `from ${min} to ${max}`;
  return (value) => (isNumber(value, min, max) ? undefined : `${quote(value)} must be ${range}`);
}

/** One of these values. */
export function oneOf(...values: readonly string[]): Rule {
  return (value) =>
    values.some((one) => one === value) ? undefined : `${quote(value)} must be one of ${values.join(', ')}`;
}

export const trueOrFalse: Rule = (value) =>
  typeof value === 'boolean' ? undefined : `${quote(value)} must be true or false`;

export const aFunction: Rule = (value) =>
  typeof value === 'function' ? undefined : `${quote(value)} must be a function`;

export const anObject: Rule = (value) => (isRecord(value) ? undefined : `${quote(value)} must be an object`);

/** Something with these methods: `expected` says what, and where it comes from. */
export function withMethods(expected: string, ...methods: readonly string[]): Rule {
  const isIt = (value: object) => methods.every((method) => typeof Reflect.get(value, method) === 'function');
  return (value) => (typeof value === 'object' && value !== null && isIt(value) ? undefined : `must be ${expected}`);
}

export const anObservable: Rule = withMethods('an Observable', 'subscribe');

/** Anything: it is checked elsewhere. */
export const anything: Rule = () => undefined;

/** Options inside options. */
export function nested<Options>(rules: OptionRules<Options>, required: readonly (keyof Options & string)[] = []): Rule {
  return (value, where) =>
    isRecord(value) ? issuesOf(value, rules, where, required) : `${quote(value)} must be an object`;
}

/** An object of any names, each value by the same rule. */
export function eachByName(rule: Rule): Rule {
  return (value, where) => {
    if (!isRecord(value)) return `${quote(value)} must be an object`;
    return Object.entries(value).flatMap(([name, one]) =>
      one === undefined ? none : findIssues(name, one, rule, where),
    );
  };
}

/** `false`, or what the rule says. */
export function falseOr(rule: Rule): Rule {
  return (value, where) => {
    if (value === false) return undefined;
    const wrong = rule(value, where);
    return typeof wrong === 'string' ? `${wrong}, or false` : wrong;
  };
}

/** A value in a message. What could hold a secret, an object or a function, is not quoted. */
export function quote(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length > maxShown ? `${JSON.stringify(value.slice(0, maxShown))}…` : JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      return tryOr(() => Array.isArray(value), false) ? '[…]' : '{…}';
    case 'function':
      return 'a function';
    default:
      return String(value);
  }
}

const maxShown = 40;

function issuesOf(
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  where: string,
  required: readonly string[] = [],
): readonly RequestIssue[] {
  if (!isRecord(options)) return [{ field: 'options', message: noOptions(options, required) }];
  const issues: RequestIssue[] = [];
  for (const name of Object.keys(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined)
      issues.push({ field: name, message: `is not an option of ${where}${suggestion(name, Object.keys(rules))}` });
    else if (options[name] !== undefined) issues.push(...findIssues(name, options[name], rule, where));
  }
  for (const name of required) if (options[name] === undefined) issues.push({ field: name, message: 'is required' });
  return issues;
}

function noOptions(options: unknown, required: readonly string[]): string {
  if (options === undefined)
    return required.length === 0 ? 'are required' : `are required: at least { ${required.join(', ')} }`;
  return `${quote(options)} must be an object`;
}

const none: readonly RequestIssue[] = [];

/** What is wrong with a value, by its rule. */
export function findIssues(field: string, value: unknown, rule: Rule, where: string): readonly RequestIssue[] {
  const wrong = rule(value, where);
  if (wrong === undefined) return none;
  if (typeof wrong === 'string') return [{ field, message: wrong }];
  return wrong.map((issue) => ({ field: `${field}.${issue.field}`, message: issue.message }));
}

function isNumber(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Two letters that are missing, too many, exchanged or wrong are a slip; more of them are another word. */
const maxSlips = 2;

function suggestion(name: string, known: readonly string[]): string {
  const given = name.toLowerCase();
  const distances = known.map((option) => ({ option, slips: slips(given, option.toLowerCase()) }));
  const near = distances.filter((one) => one.slips <= maxSlips && one.slips < one.option.length / 2);
  const [nearest] = near.sort((one, other) => one.slips - other.slips);
  return nearest === undefined ? '' : `; did you mean ${nearest.option}?`;
}

/** A part of a name is as good as one slip: `timeout` for `timeoutMs`, `retries` for `maxRetries`. */
function slips(given: string, option: string): number {
  const isPart = given.length > 3 && (option.startsWith(given) || option.endsWith(given));
  return Math.min(isPart ? 1 : maxSlips + 1, distance(given, option));
}

/** How many letters to insert, remove or replace, or pairs of neighbours to exchange, make one name of the other. */
function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (last[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const isExchanged =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const exchanged = isExchanged ? (beforeLast[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced, exchanged));
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
