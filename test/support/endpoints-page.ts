// What docs/endpoints.md and docs/errors.md say of the endpoints that the code knows: parameters and their rules,
// limits, safety, codes, records.
import { join } from 'node:path';
import ts from 'typescript';
import type { Endpoint, Safety } from '../../src/endpoints/define-endpoint.js';
import * as account from '../../src/endpoints/account/index.js';
import * as collateral from '../../src/endpoints/collateral/index.js';
import * as mining from '../../src/endpoints/mining/index.js';
import * as oauth from '../../src/endpoints/oauth/index.js';
import * as publicEndpoints from '../../src/endpoints/public/index.js';
import * as spot from '../../src/endpoints/spot/index.js';
import * as subAccounts from '../../src/endpoints/sub-accounts/index.js';
import { apiErrorCodes } from '../../src/model/error-body.js';
import { compiled } from './compiled.js';
import { root } from './documents.js';
import { table } from './figures.js';

const groups = { public: publicEndpoints, spot, collateral, account, subAccounts, mining, oauth };

/** Every endpoint, by the name that a client has it under: `spot.placeStockMarketOrder`. */
export const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(groups).flatMap(([group, members]) =>
    Object.entries<Endpoint | object>(members).flatMap(([name, member]) =>
      'path' in member ? [[`${group}.${name}`, member] as const] : [],
    ),
  ),
);

const repeated: Readonly<Record<Safety, string>> = {
  read: 'a read, repeated after 503, 429, a lost connection or a time-out',
  idempotent: 'a setting, repeated after 503, 429, a lost connection or a time-out',
  order: 'an order, [repeated only when it is known or proven not to have been placed](orders.md)',
  once: 'repeated only when it is known not to have been executed',
};

const authenticated: Readonly<Record<Endpoint['authentication'], string>> = {
  none: 'public',
  signed: 'signed',
  form: 'by its form',
};

function facts({ method, path, authentication, rateLimit, safety, priority }: Endpoint): string {
  const requests = rateLimit.limit === 1 ? 'request' : 'requests';
  const urgency = priority === undefined ? '' : ` · priority \`${priority}\``;
  return `\`${method} ${path}\` · ${authenticated[authentication]} · limit group \`${rateLimit.name}\`, ${rateLimit.limit} ${requests} / ${rateLimit.windowMs / 1000} s${urgency} · ${repeated[safety]}`;
}

/** An exchange's code as an endpoint reads it. */
interface Meaning {
  readonly code: number;
  readonly reason: string;
  /** The parameters that it must be about, where it must. */
  readonly fields: readonly string[];
}

/** What the codes mean on an endpoint: its refusals, and 30 where nothing else fits. */
function meaningsOf({ errorCodes = [], authentication }: Endpoint): Meaning[] {
  if (authentication !== 'signed') return [];
  const meanings = new Map<string, Meaning>();
  for (const { code, reason, field } of [
    ...errorCodes,
    { code: apiErrorCodes.validation, reason: 'validation', field: undefined },
  ]) {
    const key = `${code} ${reason}`;
    meanings.set(key, {
      code,
      reason,
      fields: [...(meanings.get(key)?.fields ?? []), ...(field === undefined ? [] : [field])],
    });
  }
  return [...meanings.values()].sort((a, b) => a.code - b.code);
}

function about({ fields }: Meaning): string {
  return fields.map((field) => `\`errors.${field}\``).join(' or ');
}

function codes(endpoint: Endpoint): string {
  const listed = meaningsOf(endpoint).map(
    (meaning) => `${meaning.code} \`${meaning.reason}\`${meaning.fields.length === 0 ? '' : ` with ${about(meaning)}`}`,
  );
  return listed.length === 0 ? '' : `[Codes](errors.md#the-exchanges-codes): ${listed.join(', ')}.`;
}

function codesTable(): string {
  const rows = new Map<string, { readonly meaning: Meaning; readonly names: string[] }>();
  for (const [name, endpoint] of endpoints) {
    for (const meaning of meaningsOf(endpoint)) {
      const key = JSON.stringify(meaning);
      rows.set(key, { meaning, names: [...(rows.get(key)?.names ?? []), name] });
    }
  }
  const sorted = [...rows.values()].sort((a, b) => a.meaning.code - b.meaning.code);
  const where = (meaning: Meaning, names: readonly string[]) =>
    meaning.reason === 'validation' ? 'any, where nothing else fits' : names.map((name) => `\`${name}\``).join(', ');
  return table(
    ['code', '`reason`', 'about', 'on'],
    sorted.map(({ meaning, names }) => [
      String(meaning.code),
      `\`${meaning.reason}\``,
      about(meaning),
      where(meaning, names),
    ]),
  );
}

/** A property of a type, as an editor shows it. */
interface Property {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly meaning: string;
}

/** Types of the package, by the expression that names each, and their properties. */
function propertiesOf(types: ReadonlyMap<string, string>): Map<string, Property[]> {
  const path = join(root, 'test/support/types-of-the-page.ts');
  const names = [...types.keys()].map((_, index) => `T${index}`);
  const imports = `import type { Exchange, Market, MiningAccount, OAuthToken, Order, SubAccount } from 'exchange-rx';\n`;
  const text = imports + [...types.values()].map((type, index) => `export type T${index} = ${type};`).join('\n');
  const program = compiled(new Map([[path, text]]));
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const aliases = new Map(
    source?.statements.filter(ts.isTypeAliasDeclaration).map((alias) => [alias.name.text, alias]),
  );
  return new Map(
    [...types.keys()].map((key, index) => {
      const alias = aliases.get(names[index] ?? '');
      if (alias === undefined) throw new Error(`${key} has no type`);
      const properties = checker.getTypeAtLocation(alias).getProperties();
      return [key, properties.map((property) => describe(checker, property, alias))];
    }),
  );
}

function describe(checker: ts.TypeChecker, property: ts.Symbol, place: ts.Node): Property {
  const type = checker.typeToString(
    checker.getTypeOfSymbolAtLocation(property, place),
    place,
    ts.TypeFormatFlags.NoTruncation,
  );
  const meaning = property
    .getDocumentationComment(checker)
    .map(({ kind, text }) =>
      kind === 'linkName' || kind === 'linkText' ? `\`${text.trim()}\`` : kind === 'link' ? '' : text,
    )
    .join('')
    .replaceAll(/\s+/g, ' ');
  // Fields that are not known are kept, and enumerations may grow: both are said once, beside the tables.
  const known = type
    .replaceAll(/import\("[^"]*"\)\.LiteralUnion<([^>]*)>/g, '$1')
    .replaceAll(' & { [key: string]: unknown; }', '')
    .replaceAll(' | undefined', '')
    .replaceAll(/\((\{[^}]*\})\)/g, '$1')
    .replaceAll('"', "'");
  return { name: property.name, type: known, optional: (property.flags & ts.SymbolFlags.Optional) !== 0, meaning };
}

const paramsOf = (name: string) =>
  `Required<Parameters<Exchange${name
    .split('.')
    .map((part) => `['${part}']`)
    .join('')}>>[0]`;
const records = ['Order', 'Market', 'SubAccount', 'MiningAccount', 'OAuthToken'];

/** The rules that a schema states, in the words of its messages. */
function rulesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pipe = [], wrapped, message } = schema as { pipe?: readonly unknown[]; wrapped?: unknown; message?: unknown };
  const inner = [...pipe.filter((item) => item !== schema), wrapped].flatMap(rulesOf);
  return [...new Set([...(typeof message === 'string' ? [message] : []), ...inner])];
}

function entriesOf({ request }: Endpoint): Readonly<Record<string, unknown>> {
  return 'entries' in request ? (request.entries as Readonly<Record<string, unknown>>) : {};
}

/** The values of an enumeration, in the order of its schema. */
function valuesOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { options, wrapped } = schema as { options?: readonly (string | number)[]; wrapped?: unknown };
  return options === undefined
    ? valuesOf(wrapped)
    : options.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(' | ');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
const code = (text: string) => `\`${cell(text)}\``;

/** Rules that the type says already. */
const saidByType = /^must be (a string|true or false|one of .*)$/;

function paramsTable(endpoint: Endpoint, properties: readonly Property[]): string {
  const byName = new Map(properties.map((property) => [property.name, property]));
  const rows = Object.entries(entriesOf(endpoint)).map(([name, schema]) => {
    const { type = '', optional = false, meaning = '' } = byName.get(name) ?? {};
    const rules = rulesOf(schema).filter((rule) => !saidByType.test(rule));
    return [code(name), code(valuesOf(schema) ?? type), optional ? '' : 'yes', cell(meaning), cell(rules.join('; '))];
  });
  return rows.length === 0 ? 'No parameters.' : table(['parameter', 'type', 'required', 'meaning', 'rule'], rows);
}

function recordTable(properties: readonly Property[]): string {
  return table(
    ['field', 'type', 'meaning'],
    properties.map(({ name, type, optional, meaning }) => [
      code(optional ? `${name}?` : name),
      code(type),
      cell(meaning),
    ]),
  );
}

/** What is generated, by the name that it stands under in a document. */
export function generated(): Map<string, string> {
  const types = propertiesOf(
    new Map([
      ...[...endpoints.keys()].map((name) => [name, paramsOf(name)] as const),
      ...records.map((name) => [name, name] as const),
    ]),
  );
  return new Map([
    ...[...endpoints].map(([name, endpoint]) => {
      const parts = [facts(endpoint), paramsTable(endpoint, types.get(name) ?? []), codes(endpoint)];
      return [name, parts.filter((part) => part !== '').join('\n\n')] as const;
    }),
    ...records.map((name) => [name, recordTable(types.get(name) ?? [])] as const),
    ['codes', codesTable()] as const,
  ]);
}
