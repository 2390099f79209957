// Rules for the options of a function. An option with an unknown name, a wrong type or a value out of range is rejected
// at once: ignored, it would be noticed when it has cost money.
import { isRecord } from '../model/map.js';
import { RequestError, type RequestIssue } from './call-errors.js';
import { suggestName } from './name-suggestion.js';
import { tryOr } from './foreign-value.js';

/** The maximum delay of a timer, milliseconds: about 25 days. A timer with a longer delay fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Checks one option. Returns `undefined` for a valid value, a message for an invalid one, or an issue for each invalid
 * option inside it.
 */
export type Rule = (value: unknown, where: string) => string | readonly RequestIssue[] | undefined;

/** One rule for each option. The compiler requires a rule for every option of the interface. */
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: Rule };

/**
 * Throws {@link RequestError} for invalid options; `where` is the function or endpoint that received them. An option
 * that is `undefined` counts as omitted. Messages quote no objects, because an object may hold a secret.
 */
export function checkByRules(
  where: string,
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
): void {
  const issues = tryOr(() => findOptionIssues(options, rules, where, required), unreadable('options'));
  if (issues.length > 0) throw new RequestError(where, issues);
}

/** Throws {@link RequestError} for an invalid argument. */
export function checkArgument(where: string, field: string, value: unknown, rule: Rule): void {
  const issues = tryOr(() => findIssues(field, value, rule, where), unreadable(field));
  if (issues.length > 0) throw new RequestError(where, issues);
}

/** For a getter or a proxy that throws. */
function unreadable(field: string): readonly RequestIssue[] {
  return [{ field, message: 'cannot be read' }];
}

/** A duration in milliseconds, 0 or more. */
export const durationFrom0: Rule = (value) =>
  isNumber(value, 0, maxTimerMs) ? undefined : `${quote(value)} must be from 0 to ${maxTimerMs}`;

/** A duration in milliseconds above 0, where 0 would end at once or repeat without a pause. */
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

/** An integer, or Infinity for no maximum. */
export function countOrInfinity(min: number): Rule {
  const isCount = count(min);
  return (value, where) => {
    if (value === Number.POSITIVE_INFINITY) return undefined;
    return isCount(value, where) === undefined
      ? undefined
      : `${quote(value)} must be an integer of ${min} or more, or Infinity`;
  };
}

/** A number. Infinity is valid, because there is no maximum. */
export function numberFrom(min: number): Rule {
  return (value) =>
    isNumber(value, min, Number.POSITIVE_INFINITY) ? undefined : `${quote(value)} must be ${min} or more`;
}

/** One of these values. */
export function oneOf(...values: readonly string[]): Rule {
  return (value) =>
    values.some((allowed) => allowed === value) ? undefined : `${quote(value)} must be one of ${values.join(', ')}`;
}

export const trueOrFalse: Rule = (value) =>
  typeof value === 'boolean' ? undefined : `${quote(value)} must be true or false`;

export const aFunction: Rule = (value) =>
  typeof value === 'function' ? undefined : `${quote(value)} must be a function`;

export const anObject: Rule = (value) => (isRecord(value) ? undefined : `${quote(value)} must be an object`);

/** An object with these methods; `expected` completes the message "must be …". */
export function withMethods(expected: string, ...methods: readonly string[]): Rule {
  const hasMethods = (value: object) => methods.every((method) => typeof Reflect.get(value, method) === 'function');
  return (value) =>
    typeof value === 'object' && value !== null && hasMethods(value) ? undefined : `must be ${expected}`;
}

export const anObservable: Rule = withMethods('an Observable', 'subscribe');

/** Any value: the option is checked elsewhere. */
export const anything: Rule = () => undefined;

/** An object of options. */
export function nested<Options>(rules: OptionRules<Options>, required: readonly (keyof Options & string)[] = []): Rule {
  return (value, where) =>
    isRecord(value) ? findOptionIssues(value, rules, where, required) : `${quote(value)} must be an object`;
}

/** An object with any names, whose values follow one rule. */
export function eachByName(rule: Rule): Rule {
  return (value, where) => {
    if (!isRecord(value)) return `${quote(value)} must be an object`;
    return Object.entries(value).flatMap(([name, one]) =>
      one === undefined ? noIssues : findIssues(name, one, rule, where),
    );
  };
}

/** `false`, or a value that follows the rule. */
export function falseOr(rule: Rule): Rule {
  return (value, where) => {
    if (value === false) return undefined;
    const wrong = rule(value, where);
    return typeof wrong === 'string' ? `${wrong}, or false` : wrong;
  };
}

/** A value as messages show it. Objects and functions are not quoted, because they may hold a secret. */
export function quote(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length > maxQuotedLength
        ? `${JSON.stringify(value.slice(0, maxQuotedLength))}…`
        : JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      return tryOr(() => Array.isArray(value), false) ? '[…]' : '{…}';
    case 'function':
      return 'a function';
    default:
      return String(value);
  }
}

const maxQuotedLength = 40;

function findOptionIssues(
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  where: string,
  required: readonly string[] = [],
): readonly RequestIssue[] {
  if (!isRecord(options)) return [{ field: 'options', message: describeMissing(options, required) }];
  const issues: RequestIssue[] = [];
  for (const name of Object.keys(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined)
      issues.push({ field: name, message: `is not an option of ${where}${suggestName(name, Object.keys(rules))}` });
    else if (options[name] !== undefined) issues.push(...findIssues(name, options[name], rule, where));
  }
  for (const name of required) if (options[name] === undefined) issues.push({ field: name, message: 'is required' });
  return issues;
}

function describeMissing(options: unknown, required: readonly string[]): string {
  if (options === undefined)
    return required.length === 0 ? 'are required' : `are required: at least { ${required.join(', ')} }`;
  return `${quote(options)} must be an object`;
}

const noIssues: readonly RequestIssue[] = [];

/** The issues of one value. */
export function findIssues(field: string, value: unknown, rule: Rule, where: string): readonly RequestIssue[] {
  const wrong = rule(value, where);
  if (wrong === undefined) return noIssues;
  if (typeof wrong === 'string') return [{ field, message: wrong }];
  return wrong.map((issue) => ({ field: `${field}.${issue.field}`, message: issue.message }));
}

function isNumber(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}
