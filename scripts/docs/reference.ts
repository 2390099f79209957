// The pages of docs/reference, and the tables of other pages that are made of the definitions.
import ts from 'typescript';
import type { Endpoint } from '../../src/endpoint/index.js';
import { anchorOf } from './anchor.js';
import {
  about,
  authenticationOf,
  facts,
  limitOf,
  markOf,
  meaningsOf,
  namedLimit,
  promiseOf,
  type Meaning,
  type Member,
} from './facts.js';
import { programOf } from './example.js';
import type { Group, MemberFile } from './groups.js';
import { leftOut, publishedEndpoints } from './published-endpoints.js';
import { plain, type Property, type Sources } from './program.js';

type Row = readonly string[];

export function table(columns: Row, rows: readonly Row[]): string {
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text: string) => `\`${cell(text)}\``;

/** The rules that a schema states, in the words of its messages. */
function rulesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pipe = [], wrapped, message } = schema as { pipe?: readonly unknown[]; wrapped?: unknown; message?: unknown };
  const inner = [...pipe.filter((item) => item !== schema), wrapped].flatMap(rulesOf);
  return [...new Set([...(typeof message === 'string' ? [message] : []), ...inner])];
}

/** Rules that the type says already. */
const saidByType = /^must be (a string|true or false|one of .*)$/;

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

function parameterTable(endpoint: Endpoint | undefined, properties: readonly Property[]): string {
  const entries = endpoint === undefined ? {} : entriesOf(endpoint);
  const names = Object.keys(entries);
  const sorted = properties.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
  const rows = sorted.map(({ name, type, isOptional, meaning, default: given }) => {
    const rules = rulesOf(entries[name]).filter((rule) => !saidByType.test(rule));
    const required = isOptional ? (given === '' ? 'optional' : cell(given)) : 'required';
    return [code(name), code(valuesOf(entries[name]) ?? type), required, cell(meaning), cell(rules.join('; '))];
  });
  return rows.length === 0 ? 'No parameters.' : table(['parameter', 'type', 'default', 'meaning', 'rule'], rows);
}

function recordTable(properties: readonly Property[]): string {
  return table(
    ['field', 'type', 'meaning'],
    properties.map(({ name, type, isOptional, meaning }) => [code(isOptional ? `${name}?` : name), code(type), cell(meaning)]),
  );
}

function codeTable(meanings: readonly Meaning[]): string {
  return table(
    ['code', '`reason`', 'about'],
    meanings.map((meaning) => [markOf(meaning), code(meaning.reason), about(meaning)]),
  );
}

/** The first type of what a member takes, and what its observable emits. */
function typesOf(declaration: ts.VariableDeclaration): { params: ts.TypeNode; output: ts.TypeNode } {
  const { type } = declaration;
  const [params, output] = type !== undefined && ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : [];
  if (params === undefined || output === undefined) throw new Error(`${declaration.name.getText()} has no type`);
  return { params, output };
}

function symbolOf(sources: Sources, declaration: ts.VariableDeclaration): ts.Symbol {
  const symbol = sources.checker.getSymbolAtLocation(declaration.name);
  if (symbol === undefined) throw new Error('a member has no name');
  return symbol;
}

function exampleOf(symbol: ts.Symbol, { checker }: Sources): string {
  const [example] = symbol.getJsDocTags(checker).filter(({ name }) => name === 'example');
  const text = example?.text?.map((part) => part.text).join('') ?? '';
  return text.replace(/(?<=^```ts\n)[^]*(?=```$)/, programOf);
}

const titles: Readonly<Record<string, string>> = { apiKeys: 'API keys', oauth: 'OAuth', subAccounts: 'Sub-accounts' };

export function titleOf({ name }: Group): string {
  return titles[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}

/** The page of a group. */
export function groupPage(
  sources: Sources,
  group: Group,
  memberOf: (file: MemberFile) => Member,
): string {
  const records = new Map<string, ts.Type>();
  const sections = group.members.map((file) => {
    const member = memberOf(file);
    const endpoint = 'path' in member ? member : undefined;
    const declaration = sources.declaration(file.file, file.method);
    const symbol = symbolOf(sources, declaration);
    const { params, output } = typesOf(declaration);
    const type = sources.checker.getTypeFromTypeNode(output);
    for (const record of sources.records(type, declaration)) records.set(sources.text(record, declaration), record);
    const properties = sources.properties(sources.checker.getTypeFromTypeNode(params), declaration);
    const meanings = endpoint === undefined ? [] : meaningsOf(endpoint);
    const emitted = sources.text(type, declaration);
    const named = [...records.keys()].find((name) => new RegExp(`\\b${name}\\b`).test(emitted));
    return [
      `## \`${group.name}.${file.method}\``,
      plain(symbol.getDocumentationComment(sources.checker)),
      ...[promiseOf(member)?.replaceAll(/\{@link (\w+)\}/g, '`$1`')].filter((promise) => promise !== undefined),
      ...(endpoint === undefined ? [] : [facts(endpoint)]),
      parameterTable(endpoint, properties),
      `Emits ${named === undefined ? code(emitted) : `[${code(emitted)}](#${anchorOf(named)})`}.`,
      ...(meanings.length === 0 ? [] : [codeTable(meanings)]),
      exampleOf(symbol, sources),
    ].join('\n\n');
  });
  const place = sources.source(group.members[0]?.file ?? '');
  const tables = [...records].map(([name, record]) =>
    [`## ${name}`, plain(record.symbol.getDocumentationComment(sources.checker)), recordTable(sources.properties(record, place))].join('\n\n'),
  );
  const contents = group.members.map(
    ({ method }) => `- [\`${group.name}.${method}\`](#${anchorOf(`${group.name}.${method}`)})`,
  );
  const intro =
    'Parameters, response and error codes of each method. [Errors](../errors.md) that every call can end with, and ' +
    '[call options](../guide.md), are not repeated here. Fields that the exchange adds are kept; enumerations list the known values.';
  return [
    `<!-- Written by npm run docs. -->\n# ${titleOf(group)}`,
    intro,
    contents.join('\n'),
    ...sections,
    ...tables,
    '',
  ].join('\n\n').replace(/\n+$/, '\n');
}

/** The published endpoints that no group has, although nothing speaks against it. */
function missingFrom(all: readonly Group[], endpointOf: (group: Group, member: MemberFile) => Endpoint | undefined): string[] {
  const endpoints = all.flatMap((group) => group.members.flatMap((member) => endpointOf(group, member) ?? []));
  const present = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  return publishedEndpoints.filter((published) => !present.has(published) && !leftOut.has(published));
}

/** docs/methods.md. */
export function methodsPage(
  all: readonly Group[],
  endpointOf: (group: Group, member: MemberFile) => Endpoint | undefined,
): string {
  const rows = all.flatMap((group) =>
    group.members.map((member) => {
      const name = `[\`${group.name}.${member.method}\`](reference/${group.folder}.md#${anchorOf(`${group.name}.${member.method}`)})`;
      const endpoint = endpointOf(group, member);
      if (endpoint === undefined) return [name, '', '', '', ''];
      return [name, authenticationOf(endpoint), endpoint.method, `\`${endpoint.path}\``, namedLimit(endpoint)];
    }),
  );
  const missing = missingFrom(all, endpointOf);
  return [
    '<!-- Written by npm run docs. -->\n# Methods',
    'Every method of a client. Methods without a path call other endpoints. [Rate limits](limits.md) can be overridden by their names: the limit of one endpoint has the name of its method.',
    table(['method', 'authentication', 'HTTP', 'path', 'limit'], rows),
    '## Published endpoints without a method',
    '`defineEndpoint` makes an endpoint of any of them that is signed as the others are.',
    table(
      ['endpoint', 'reason'],
      [...leftOut, ...missing.map((endpoint) => [endpoint, 'Not yet.'] as const)].map(([endpoint, reason]) => [code(endpoint), reason]),
    ),
    '',
  ].join('\n\n').replace(/\n+$/, '\n');
}

/** The rate limits that several endpoints share, for docs/limits.md. */
export function sharedLimits(endpoints: readonly Endpoint[]): string {
  const shared = endpoints.flatMap(({ name, rateLimits }) => rateLimits.filter((rateLimit) => rateLimit.name !== name));
  const unique = [...new Map(shared.map((rateLimit) => [rateLimit.name, rateLimit])).values()];
  return table(
    ['rate limit', 'limit', 'endpoints'],
    unique.map((rateLimit) => {
      const isOf = ({ rateLimits }: Endpoint) => rateLimits.some(({ name }) => name === rateLimit.name);
      const names = endpoints.filter(isOf).map(({ name }) => code(name));
      return [code(rateLimit.name), limitOf(rateLimit), names.join(', ')];
    }),
  );
}
