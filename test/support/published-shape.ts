// The published description of all endpoints, and the comparison of a response with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is published of a value. */
export interface PublishedType {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly fields?: Readonly<Record<string, PublishedType>>;
  readonly required?: readonly string[];
  readonly values?: PublishedType;
  readonly items?: PublishedType;
  readonly oneOf?: readonly PublishedType[];
}

interface PublishedParameter extends PublishedType {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly required: boolean & readonly string[];
}

/** An endpoint as the description has it. */
export interface Published {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly limit?: { readonly requests: number; readonly perSeconds: number };
  /** Of the endpoints that the sandbox serves. */
  readonly statuses?: readonly string[];
  readonly params: readonly PublishedParameter[];
  readonly body?: PublishedType;
  readonly response?: PublishedType;
}

export const publishedDescription = JSON.parse(
  readFileSync(join(import.meta.dirname, 'published-endpoints.json'), 'utf8'),
) as readonly Published[];

/** What is different in a value, with the path to it; fields that are not published are different, too. */
export function differencesOf(value: unknown, published: PublishedType, at = 'response'): string[] {
  if (published.oneOf !== undefined) {
    const differences = published.oneOf.map((one) => differencesOf(value, one, at));
    return differences.some(({ length }) => length === 0) ? [] : differences.flat();
  }
  if (value === null) return published.nullable === true ? [] : [`${at} is null`];
  if (Array.isArray(value)) {
    const { items } = published;
    if (published.type !== 'array' || items === undefined) return [`${at} is an array`];
    return value.flatMap((item, index) => differencesOf(item, items, `${at}[${index}]`));
  }
  if (typeof value === 'object') return differencesOfObject({ ...value }, published, at);
  // A number may happen to be whole.
  const isNumber = published.type === 'number' && typeof value === 'number';
  const type = Number.isInteger(value) ? 'integer' : typeof value;
  if (type !== published.type && !isNumber) return [`${at} is of type ${type}, not ${published.type ?? 'any'}`];
  return published.enum?.some((known) => known === value) === false ? [`${at} is ${JSON.stringify(value)}`] : [];
}

function differencesOfObject(value: Readonly<Record<string, unknown>>, published: PublishedType, at: string): string[] {
  const { fields = {}, required = [], values } = published;
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`);
  const others = Object.entries(value).flatMap(([name, field]) => {
    const of = fields[name] ?? values;
    return of === undefined ? [`${at}.${name} is not published`] : differencesOf(field, of, `${at}.${name}`);
  });
  return [...missing, ...others];
}
