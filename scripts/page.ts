// The files of the trading page: one script, one style sheet, its font, and the document. The page loads nothing else.
import { transform } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import subsetFont from 'subset-font';

/** In the order in which their rules follow one another. */
const styles = ['tokens.css', 'layout.css', 'parts.css', 'tables.css', 'phone.css'];
/** What the page's own words and every figure need; other texts of the exchange have the system's font. */
const characters = [
  ...Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCodePoint(0x20 + index)),
  '–−·×↑↓…≈“”’',
].join('');

/** Writes all but the script into `folder`. Resolves to the folder of the font's package. */
export async function writePage(root: string, source: string, folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(source, 'index.html'), join(folder, 'index.html'));
  const css = [join(root, 'node_modules/uplot/dist/uPlot.min.css'), ...styles.map((name) => join(source, name))].map(
    (file) => readFileSync(file, 'utf8'),
  );
  const { code } = await transform(css.join('\n'), { loader: 'css', minify: true });
  writeFileSync(join(folder, 'style.css'), code);
  const inter = join(root, 'node_modules/@fontsource-variable/inter');
  writeFileSync(
    join(folder, 'inter.woff2'),
    await subsetFont(readFileSync(join(inter, 'files/inter-latin-wght-normal.woff2')), characters, {
      targetFormat: 'woff2',
      variationAxes: { wght: { min: 400, max: 600 } },
    }),
  );
  return [inter];
}
