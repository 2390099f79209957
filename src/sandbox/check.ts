// Checks of the values that a test passes to the sandbox: a misspelled option or path would have no effect, and the
// test would pass without testing anything.
import * as v from 'valibot';

export function check(where: string, schema: v.GenericSchema, value: unknown): void {
  const { issues } = v.safeParse(schema, value, { abortPipeEarly: true });
  if (issues === undefined) return;
  const messages = issues.map((issue) => {
    const path = v.getDotPath(issue);
    return path === null ? issue.message : `${path} ${issue.message}`;
  });
  throw new Error(`${where}: ${messages.join('; ')}`);
}

/** Throws for a path without a route: a fault for this path would never meet a request. */
export function checkPaths(where: string, routes: ReadonlyMap<string, unknown>, paths: readonly string[]): void {
  const known = [...routes.keys()];
  const unknown = paths.filter((one) => !known.some((route) => isPathOf(route, one)));
  if (unknown.length === 0) return;
  throw new Error(
    `${where}: the sandbox has no route ${unknown.join(', ')}; it has ${known.join(', ')}. Add one with sandbox.route()`,
  );
}

/** The values of a path's parameters, for a path that is the template with values, such as `/orderbook/{market}`; `undefined` for another path. */
export function paramsOf(template: string, path: string): Record<string, string> | undefined {
  const parts = template.split('/');
  const given = path.split('/');
  if (parts.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== value : value === '') return undefined;
    if (name !== undefined) params[name] = decoded(value);
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function isPathOf(template: string, path: string): boolean {
  return template === path || paramsOf(template, path) !== undefined;
}

export function checkNames(where: string, items: readonly { readonly name: string }[]): void {
  const names = items.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new Error(`${where}: the name "${duplicate}" appears twice; names must be unique`);
}

/** The checks of every field of an interface. */
export type ChecksOf<Options> = Record<keyof Options, v.GenericSchema>;

export function fields<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, ({ expected, received }) => {
    if (expected === 'never') return `is unknown; known: ${Object.keys(entries).join(', ')}`;
    return expected === 'Object' ? `${received} must be an object` : 'is required';
  });
}

export function rule<Value>(test: (value: unknown) => boolean, text: string) {
  return v.custom<Value>(test, ({ received }) =>
    received === 'undefined' ? `is required, and ${text}` : `${received} ${text}`,
  );
}

export const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);
export const isText = (value: unknown): value is string => typeof value === 'string';

export function numberFrom(min: number, max = Number.MAX_SAFE_INTEGER) {
  return rule<number>(
    (value) => isNumber(value) && value >= min && value <= max,
    `must be a number ${rangeOf(min, max)}`,
  );
}

export function integerFrom(min: number, max = Number.MAX_SAFE_INTEGER) {
  return rule<number>(
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be an integer ${rangeOf(min, max)}`,
  );
}

function rangeOf(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
}

export function oneOf(...values: readonly string[]) {
  return rule<string>((value) => isText(value) && values.includes(value), `must be one of ${values.join(', ')}`);
}

function matching(pattern: RegExp, text: string) {
  return rule<string>((value) => isText(value) && pattern.test(value), text);
}

export const text = rule<string>((value) => isText(value) && value !== '', 'must be a non-empty string');
export const flag = rule<boolean>((value) => typeof value === 'boolean', 'must be true or false');
export const path = rule<string>(
  (value) => isText(value) && /^\/[^?#\s]*$/.test(value),
  'must be a path that begins with "/", without a query',
);
export const positive = matching(/^(?!0+(\.0+)?$)\d+(\.\d+)?$/, 'must be a decimal string above 0, such as "0.001"');
export const notNegative = matching(/^\d+(\.\d+)?$/, 'must be a decimal string, such as "0.001"');
export const signed = matching(/^-?\d+(\.\d+)?$/, 'must be a decimal string, such as "0.001" or "-0.001"');
export const durationMs = numberFrom(0, 2 ** 31 - 1);
export const market = matching(/^[A-Za-z0-9-]+_[A-Za-z0-9-]+$/, 'is not a market such as "BTC_USDT"');

export function list(item: v.GenericSchema) {
  return v.array(item, ({ received }) => `${received} must be an array`);
}

export function nonEmptyList(item: v.GenericSchema) {
  return v.pipe(list(item), v.minLength(1, 'must not be empty'));
}

type Kinds = Readonly<Record<string, { readonly uses: readonly string[] }>>;

/** A field that the kind of a fault does not use would have no effect. */
export function usedByKind<Schema extends v.GenericSchema<unknown, object>>(schema: Schema, kinds: Kinds) {
  const usersOf = (field: string) =>
    Object.entries(kinds).flatMap(([name, { uses }]) => (uses.includes(field) ? [`"${name}"`] : []));
  return v.pipe(
    schema,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const { kind, ...others }: { readonly kind?: unknown } = dataset.value;
      for (const [field, value] of Object.entries(others)) {
        const users = usersOf(field);
        if (value === undefined || users.length === 0 || users.includes(`"${String(kind)}"`)) continue;
        addIssue({
          message: `${field} is a field of kind ${users.join(', ')}; kind "${String(kind)}" does not use it`,
        });
      }
    }),
  );
}
