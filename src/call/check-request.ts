// The first step of a call: checks its parameters against the endpoint's schema. Issues name field, problem and rule.
import { inspect } from 'node:util';
import * as v from 'valibot';
import { isCallOption } from './call-options.js';
import { parameterNames, pathParameters, type Endpoint, type WireFields } from '../endpoint/index.js';
import { RequestError, suggestName, type RequestIssue } from '../errors/index.js';
import { collectTexts, Redactor } from '../http/index.js';
import { isPlainObject } from '../model/map.js';
import { marketNamePattern } from '../model/market.js';

/** Throws {@link RequestError}. Fields are read once; a parameter that is undefined counts as omitted. */
export function checkRequest(endpoint: Endpoint, params: unknown): WireFields {
  requireParams(endpoint, params);
  const result = safeParse(endpoint, params);
  if (result.success && !endpoint.path.includes('{')) return result.output;
  const issues = result.success
    ? placedIssues(endpoint, result.output)
    : result.issues.map((issue) =>
        endpoint.confidential ? describeConfidential(issue, endpoint, params) : describe(issue, endpoint),
      );
  if (!result.success || issues.length > 0) throw new RequestError(endpoint.name, issues);
  return result.output;
}

/** The parameters of every call are one object, not several arguments. */
function requireParams(endpoint: Endpoint, params: unknown): void {
  if (typeof params === 'object') return;
  const [name = 'market'] = parameterNames(endpoint);
  const shown = endpoint.confidential ? '' : `${show(params)} `;
  const message = `${shown}must be an object with the parameters by name, such as { ${name}: … }`;
  throw new RequestError(endpoint.name, [{ field: 'params', message }]);
}

/** What goes into the path cannot be any text. */
function placedIssues({ path }: Endpoint, fields: WireFields): RequestIssue[] {
  const message = 'must be a number, or a well-formed text other than "." and "..": it is a part of the path';
  return pathParameters(path).flatMap((field) => (isPathPart(fields[field]) ? [] : [{ field, message }]));
}

/** A URL has another meaning for dots, even when they are encoded; and a lone surrogate cannot be encoded. */
function isPathPart(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' && !/^\.{0,2}$|\p{Surrogate}/u.test(value);
}

/** A user's schema may throw. */
function safeParse(endpoint: Endpoint, params: unknown) {
  try {
    return v.safeParse(endpoint.request, snapshot(params));
  } catch (cause) {
    const issue = { field: 'params', message: 'could not be checked: the schema of the endpoint failed' };
    // The exception of a schema may quote the parameters.
    throw new RequestError(endpoint.name, [issue], endpoint.confidential ? undefined : cause);
  }
}

/** Deeper objects are not copied: an object that contains itself has no end. */
const maxDepth = 8;

/**
 * A copy, because the caller may change its object later. The schema copies an instance of a class, whose accessors a
 * copy of its properties would lose.
 */
function snapshot(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => snapshot(item, depth + 1));
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) if (inner !== undefined) copy[name] = snapshot(inner, depth + 1);
  return copy;
}

function describe(issue: v.BaseIssue<unknown>, endpoint: Endpoint): RequestIssue {
  const field = v.getDotPath(issue) ?? 'params';
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return { field, message: notParameter(field, endpoint) };
  if (issue.received === 'undefined') return { field, message: missing(issue) };
  // The input of a rule between parameters is all of them; the end of its path has the parameter in question.
  const about = issue.path === undefined ? issue.input : issue.path.at(-1)?.value;
  const value = about === undefined ? '' : `${show(about)} `;
  return { field, message: `${value}${rule(issue)}${cure(about, issue.message)}` };
}

/** The largest time in seconds that a parameter may have: a larger one is in milliseconds. */
const maxSeconds = 99_999_999_999;

/** What to pass instead of a value that breaks a rule. */
function cure(value: unknown, broken: string): string {
  const ms = value instanceof Date ? value.getTime() : value;
  if (typeof ms === 'number' && (ms > maxSeconds || value instanceof Date) && broken.includes('Unix seconds'))
    return `; ${ms} looks like milliseconds: pass ${Math.floor(ms / 1000)}`;
  if (typeof value !== 'string') return '';
  if (/^[1-9]\d*$/.test(value) && broken.includes('must be an integer')) return `: pass ${value} without quotes`;
  const market = value.toUpperCase().replace(/[/:-]/, '_');
  return broken.startsWith('must be a market') && marketNamePattern.test(market) ? `; did you mean "${market}"?` : '';
}

/** Names inside a parameter, and unknown names, may be secrets like values; and a rule may quote the value. */
function describeConfidential(issue: v.BaseIssue<unknown>, endpoint: Endpoint, params: unknown): RequestIssue {
  const [place, ...inside] = issue.path ?? [];
  const names = parameterNames(endpoint);
  const field = names.find((name) => name === place?.key) ?? 'params';
  if (inside.length > 0) return { field, message: 'is invalid' };
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return typeof place?.key === 'string' && isCallOption(place.key)
      ? { field: place.key, message: notParameter(place.key, endpoint) }
      : { field, message: `has a name that is not a parameter; the parameters are ${names.join(', ')}` };
  if (issue.received === 'undefined') return { field, message: missing(issue) };
  return { field, message: new Redactor(collectTexts(params)).redact(rule(issue, true)) };
}

function missing({ type }: v.BaseIssue<unknown>): string {
  return type === 'strict_object' ? 'is required' : 'must not be undefined';
}

function notParameter(field: string, endpoint: Endpoint): string {
  const problem = `is not a parameter of ${endpoint.name}`;
  if (isCallOption(field)) return `${problem}: options are the second argument`;
  return `${problem}${suggestName(field, parameterNames(endpoint))}`;
}

/** In the schema's own words. Valibot's default messages repeat the value, so only the expected type is used. */
function rule({ message, expected }: v.BaseIssue<unknown>, confidential = false): string {
  if (!message.startsWith('Invalid ')) return message;
  return confidential || expected === null ? 'is invalid' : `must be ${expected}`;
}

const maxShown = 40;

function show(value: unknown): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 1, breakLength: Infinity, compact: true });
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
