// The groups of endpoints, as folders and files: the index of each group, and the list of groups.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
export const endpointsFolder = 'src/endpoints';

/** A member of a group, by its file. */
export interface MemberFile {
  /** The name of the method: `listAll`. */
  readonly method: string;
  /** From the root of the package. */
  readonly file: string;
}

export interface Group {
  /** The name on a client: `subAccounts`. */
  readonly name: string;
  /** The folder: `sub-accounts`. */
  readonly folder: string;
  readonly members: readonly MemberFile[];
}

const camelCase = (kebab: string) => kebab.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `orders` as the start of a type's name: `Orders`. */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const declared = /^export const (\w+): (?:Endpoint|OrderEndpoint|BulkOrderEndpoint|PagedList|OrderSearch)</gm;

/** The members of a folder are the endpoints, lists and lookups that its files export. */
function membersOf(folder: string): MemberFile[] {
  return readdirSync(join(root, endpointsFolder, folder))
    .map((name) => `${endpointsFolder}/${folder}/${name}`)
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(declared)].map(([, method = '']) => ({ method, file })),
    )
    .sort((one, other) => (one.method < other.method ? -1 : 1));
}

export function groups(): Group[] {
  return readdirSync(join(root, endpointsFolder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name: camelCase(name), folder: name, members: membersOf(name) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export const written = '// Written by `npm run docs`';

/** The docstring of the entry point `exchange-rx/endpoints`. */
const groupsDocs = `/**
 * The endpoints as data, a namespace for each group. A client calls an endpoint: \`client.call(orders.cancel, …)\`.
 *
 * @example
 * \`\`\`ts
 * import { createExchange } from 'exchange-rx';
 * import * as endpoints from 'exchange-rx/endpoints';
 *
 * const exchange = createExchange({ baseUrl: 'https://exchange.example' });
 * exchange.call(endpoints.public.ping).subscribe(([pong]) => console.log(pong));
 * \`\`\`
 *
 * @packageDocumentation
 */
`;

/** The indexes of the groups, and the list of groups, by file. */
export function indexes(): Map<string, string> {
  const all = groups();
  const ofGroups = all.map(({ name, folder, members }) => {
    const files = [...new Set(members.map(({ file }) => file))].sort();
    const exports = files.map((file) => `export * from './${file.split('/').at(-1)?.replace('.ts', '.js')}';`);
    return [
      `${endpointsFolder}/${folder}/index.ts`,
      `${written}: the members of \`exchange.${name}\`.\n${exports.join('\n')}\n`,
    ] as const;
  });
  const list = all.map(({ name, folder }) =>
    name === 'public'
      ? '// `public` is a reserved word: it can be exported, but not declared.\nexport { publicEndpoints as public };'
      : `export * as ${name} from './${folder}/index.js';`,
  );
  return new Map([
    ...ofGroups,
    [
      `${endpointsFolder}/groups.ts`,
      `${written}.\n${groupsDocs}import * as publicEndpoints from './public/index.js';\n\n${list.join('\n')}\n`,
    ],
  ]);
}
