// A terminal's screen as a person sees it: xterm.js in a page of the browser, fed with what a program wrote to its
// terminal.
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { terminalSize } from './command.js';

const xterm = (file: string) => createRequire(import.meta.url).resolve(`@xterm/xterm/${file}`);

const html = `<!doctype html><style>
  body { margin: 0 }
  #screen { display: inline-block; padding: 16px 20px; background: #14161a }
  .scrollbar { display: none }
</style><div id="screen"></div>`;

/** The part of xterm.js that the page uses. */
interface Terminal {
  readonly buffer: {
    readonly active: {
      readonly length: number;
      getLine(index: number): { translateToString(trimRight: boolean): string } | undefined;
    };
  };
  open(element: unknown): void;
  write(text: string, written: () => void): void;
}

export interface Screen {
  readonly lines: readonly string[];
  readonly picture: Locator;
  readonly page: Page;
}

/** What a terminal of this size shows that this was written to, and the lines that have left it at the top. */
export async function screenOf(browser: Browser, written: string, size = terminalSize): Promise<Screen> {
  const page = await browser.newPage();
  await page.setContent(html);
  await page.addStyleTag({ path: xterm('css/xterm.css') });
  await page.addScriptTag({ path: xterm('lib/xterm.js') });
  const lines = await page.evaluate(
    async ({ text, size: cells }) => {
      const { Terminal: Made, document } = globalThis as unknown as {
        readonly Terminal: new (options: object) => Terminal;
        readonly document: { querySelector(selector: string): unknown };
      };
      const options = {
        ...cells,
        fontFamily: 'monospace',
        fontSize: 14,
        cursorInactiveStyle: 'none',
        theme: { background: '#14161a', foreground: '#d8dce3' },
      };
      const terminal = new Made(options);
      terminal.open(document.querySelector('#screen'));
      await new Promise<void>((done) => {
        terminal.write(text, done);
      });
      const { active } = terminal.buffer;
      return Array.from({ length: active.length }, (_, index) => active.getLine(index)?.translateToString(true) ?? '');
    },
    { text: written, size },
  );
  return { lines, picture: page.locator('#screen'), page };
}
