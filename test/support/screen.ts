// A terminal's screen as a person sees it: xterm.js in a page, fed with what a program wrote to its terminal; and its
// picture, an SVG whose text can be compared with another screen.
import type { Terminal } from '@xterm/xterm';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { terminalSize } from './command.js';

const xterm = (file: string) => createRequire(import.meta.url).resolve(`@xterm/xterm/${file}`);

/** Characters side by side that look the same. */
export interface Run {
  /** The column of the first one. */
  readonly column: number;
  readonly text: string;
  /** A color of the palette; -1 is that of plain text. */
  readonly color: number;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export type Screen = readonly (readonly Run[])[];

/** What a terminal of this size shows that this was written to, and the rows that have left it at the top. */
export async function screenOf(browser: Browser, written: string, size = terminalSize): Promise<Screen> {
  const page = await browser.newPage();
  await page.addScriptTag({ path: xterm('lib/xterm.js') });
  const screen = await page.evaluate(
    async ({ text, size: cells }) => {
      const { Terminal: Made, document } = globalThis as unknown as {
        readonly Terminal: new (options: object) => Terminal;
        readonly document: { readonly body: Parameters<Terminal['open']>[0] };
      };
      const terminal = new Made(cells);
      terminal.open(document.body);
      await new Promise<void>((done) => {
        terminal.write(text, done);
      });
      const { active } = terminal.buffer;
      return Array.from({ length: active.length }, (_, row) => {
        const runs: (Run & { text: string })[] = [];
        const line = active.getLine(row);
        for (let column = 0; column < (line?.length ?? 0); column++) {
          const cell = line?.getCell(column);
          const [isBold, isDim] = [cell?.isBold() !== 0, cell?.isDim() !== 0];
          const color = cell?.isFgPalette() === true ? cell.getFgColor() : -1;
          const last = runs.at(-1);
          const character = (cell?.getChars() ?? '').padEnd(1);
          if (last?.color === color && last.isBold === isBold && last.isDim === isDim) last.text += character;
          else runs.push({ column, text: character, color, isBold, isDim });
        }
        return runs;
      });
    },
    { text: written, size },
  );
  await page.close();
  return screen;
}

export function linesOf(screen: Screen): string[] {
  return screen.map((runs) =>
    runs
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
}

/** Pixels of a character. */
const width = 8.4;
const height = 18;
const margin = 16;
const colors = ['#5c6370', '#e5534b', '#57ab5a', '#c69026', '#539bf5', '#b083f0', '#39c5cf', '#d8dce3'];

const pixels = (columns: number, from = margin) => (from + columns * width).toFixed(1);

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Words, or a bar. Bars are drawn, because fonts differ in the widths of their blocks. */
const parts = /[▐█▉-▏]+|[^ ▐█▉-▏]+(?: [^ ▐█▉-▏]+)*/g;
/** Eighths of a character, from its left side; of `▐`, the right half. */
const blocks = ' ▏▎▍▌▋▊▉█';

function drawn({ column, text, color, isBold, isDim }: Run, row: number): string {
  const fill = color < 0 ? '' : ` fill="${colors[color % colors.length] ?? ''}"`;
  const look = `${fill}${isBold ? ' font-weight="bold"' : ''}${isDim ? ' opacity=".6"' : ''}`;
  const y = margin + row * height;
  const drawnParts = [...text.matchAll(parts)].map(({ 0: part, index }) => {
    const x = column + index;
    if (!/[▐█▉-▏]/.test(part))
      return `<text x="${pixels(x)}" y="${y + 13}" textLength="${pixels(part.length, 0)}"${look}>${escaped(part)}</text>`;
    const half = part.startsWith('▐') ? 0.5 : 0;
    const filled = Array.from(part).reduce((sum, block) => sum + Math.max(blocks.indexOf(block), 0) / 8, half);
    return `<rect x="${pixels(x + half)}" y="${y + 1}" width="${pixels(filled, 0)}" height="${height - 2}"${look}/>`;
  });
  return drawnParts.join('');
}

/** The picture of a screen, without the empty rows at its end. A line of the file is a row. */
export function pictureOf(screen: Screen): string {
  const lines = linesOf(screen);
  const rows = screen.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  const across = pixels(Math.max(...lines.map(({ length }) => length)), 2 * margin);
  const down = 2 * margin + rows.length * height;
  const font = `font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${across} ${down}" width="${across}" height="${down}" ${font} fill="#d8dce3">`,
    '<rect width="100%" height="100%" rx="8" fill="#14161a"/>',
    ...rows.map((runs, row) => runs.map((run) => drawn(run, row)).join('')),
    '</svg>\n',
  ].join('\n');
}
