// Links of the documents, which lead to files of the repository, as links between pages of the site.
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { pageOf, root, targetOf } from './documents.js';

/** What the rule uses of markdown-it. */
interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { readonly tokens: readonly Token[]; readonly env: object }) => void): void;
    };
  };
}

/** Files without a page, which are copied. */
const copied = new Set<string>();

/** Where a link of a document leads in the site: to a page, or to a copy of the file. */
function linkFrom(file: string, link: string): string {
  const [path = '', anchor] = link.split('#');
  if (path === '' || /^[a-z]+:/.test(link)) return link;
  const target = targetOf(file, path);
  const isPage = /\.(md|ts)$/.test(target);
  if (!isPage) copied.add(target);
  return `/${pageOf(target)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Leads the links of each document to pages. */
export function rewriteLinks(markdown: Markdown): void {
  markdown.core.ruler.push('links_of_documents', ({ tokens, env }) => {
    const { realPath, path } = env as { readonly realPath?: string; readonly path: string };
    const file = relative(root, realPath ?? path);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', linkFrom(file, href));
    }
  });
}

/** Copies the linked files that have no page. */
export function copyLinkedFiles(folder: string): void {
  for (const file of copied) {
    const copy = join(folder, pageOf(file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(root, file), copy);
  }
}

/** Fails for a link to a heading that is not there, as vitepress does for one to a page. */
export function checkAnchors(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  const pages = new Map(files.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const dead = [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/ href="(?<path>[^"#:]*)#(?<anchor>[^"]+)"/g)].flatMap(({ groups = {} }) => {
      const { path = '', anchor = '' } = groups;
      const target = path === '' ? page : posix.join(path).replace(/^\//, '');
      return pages.get(target)?.includes(` id="${anchor}"`) === true ? [] : [`${page}: ${path}#${anchor}`];
    }),
  );
  if (dead.length > 0) throw new Error(`Links to headings that are not there:\n${dead.join('\n')}`);
}
