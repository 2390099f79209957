// The site: the documents as they stand in docs/, with those at the top of the repository and the examples.
import { anchorOf } from '../../scripts/docs/anchor.js';
import { files, navigation, pageOf } from '../documents.js';
import { checkAnchors, copyLinkedFiles, rewriteLinks } from '../links.js';
import { typesOfNames } from '../types.js';

const sections = navigation();

/** The documents are not below the folder in which vue is installed, and the rendered pages are. */
const vueOfSite = {
  name: 'vue-of-site',
  enforce: 'pre',
  resolveId: (id: string, _importer: unknown, { ssr }: { readonly ssr?: boolean }) =>
    ssr === true && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined,
};

interface Renderer {
  render(text: string, environment: object): string;
  set(options: { readonly highlight: null }): void;
}

/** What is searched of a page. The index has words only: coloring them took a fifth of the build. */
function withoutColors(text: string, environment: object, markdown: Renderer): string {
  markdown.set({ highlight: null });
  return markdown.render(text, environment);
}

export default {
  title: 'exchange-rx',
  description:
    'Every endpoint of the exchange as an RxJS observable, within its rate limit, and each order at most once.',
  srcDir: '..',
  srcExclude: ['!(docs|site)/**/*'],
  rewrites: pageOf,
  outDir: './dist',
  cacheDir: './node_modules/.cache',
  // The index of the search is a file of half a megabyte, loaded by the first search.
  vite: { plugins: [vueOfSite], build: { chunkSizeWarningLimit: 1000 } },
  // A browser looks for an icon otherwise.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { anchor: { slugify: anchorOf }, config: rewriteLinks, codeTransformers: [typesOfNames(files())] },
  themeConfig: {
    nav: sections.map(({ text, items }) => ({ text, link: items[0]?.link })),
    sidebar: sections,
    outline: [2, 3],
    search: { provider: 'local', options: { _render: withoutColors } },
  },
  buildEnd({ outDir }: { readonly outDir: string }) {
    copyLinkedFiles(outDir);
    checkAnchors(outDir);
  },
};
