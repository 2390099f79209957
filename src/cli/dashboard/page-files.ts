// The files of the built page.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
]);

/** This module is in another file of the package once it is bundled. */
const manifestPath = () => createRequire(import.meta.url).resolve('exchange-rx/package.json');

/**
 * The file of a request: `/` is the page itself, `/page/main.js` its script. `undefined` for a name that no file of the
 * page can have; fails for a file that is missing.
 */
export async function pageFile(path: string) {
  const name = path === '/' ? 'index.html' : /^\/page\/([\w-]+\.[a-z0-9]+)$/.exec(path)?.[1];
  const type = types.get(extname(name ?? ''));
  if (name === undefined || type === undefined) return undefined;
  return { type, content: await readFile(join(dirname(manifestPath()), 'dist/cli/dashboard/page', name)) };
}
