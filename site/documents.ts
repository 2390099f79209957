// Where the documents of the repository stand in the site, and their order, which is that of the README.
import { readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

/** An entry of the navigation, as vitepress takes it. */
export interface Entry {
  readonly text: string;
  /** The file that is shown. */
  readonly file: string;
  readonly link: string;
  readonly items?: readonly Entry[];
  readonly collapsed?: boolean;
}

export interface Section {
  readonly text: string;
  readonly items: readonly Entry[];
}

/** Documents whose links into a folder are the order of its pages. */
const contents: Readonly<Record<string, string>> = {
  'docs/recipes.md': 'docs/examples/',
  'docs/methods.md': 'docs/reference/',
  'docs/evidence/README.md': 'docs/evidence/',
};

/**
 * The page of a file: `evidence/index.md` of `docs/evidence/README.md`, `examples/bot.md` of `docs/examples/bot.ts`. Not
 * every host of files tells `SECURITY.md` from `docs/security.md` without a folder.
 */
export function pageOf(file: string): string {
  return file
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/^[A-Z]+\.md$/, (name) => `project/${name.toLowerCase()}`)
    .replace(/^(docs|site)\//, '')
    .replace(/\.ts$/, '.md');
}

const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** The file of the repository that a link of a document leads to. */
export function targetOf(file: string, link: string): string {
  return posix.join(posix.dirname(file), link);
}

/** The files with pages that a text of this document links, in order. */
function linkedFrom(file: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?<link>[\w./-]+\.(?:md|ts))[)#]/g)];
  return [...new Set(links.map(({ groups }) => targetOf(file, groups?.['link'] ?? '')))];
}

/** A program has the name of its file, a document that of its heading. */
function titleOf(file: string): string {
  return file.endsWith('.ts') ? posix.basename(file) : (/^# (.+)$/m.exec(textOf(file))?.[1] ?? file);
}

function entryOf(file: string): Entry {
  const entry = { text: titleOf(file), file, link: `/${pageOf(file)}` };
  const folder = contents[file];
  if (folder === undefined) return entry;
  const below = linkedFrom(file, textOf(file)).filter((linked) => linked.startsWith(folder));
  return { ...entry, items: below.map(entryOf), collapsed: true };
}

/** The sections of the navigation: the list at the end of the README. */
export function navigation(): Section[] {
  const [, list = ''] = textOf('README.md').split('\n## Documentation\n');
  return [...list.matchAll(/^- \*\*(?<text>.+?)\*\*(?<links>[^]*?)(?=\n- |\n\n)/gm)].map(({ groups = {} }) => ({
    text: groups['text'] ?? '',
    items: linkedFrom('README.md', groups['links'] ?? '').map(entryOf),
  }));
}

/** The files of all pages. */
export function files(): string[] {
  const filesOf = ({ file, items = [] }: Entry): string[] => [file, ...items.flatMap(filesOf)];
  const entries = navigation().flatMap(({ items }) => items);
  return ['README.md', ...entries.flatMap(filesOf)];
}
