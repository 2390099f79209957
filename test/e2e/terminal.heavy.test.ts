// The screens of `npm start` and of `exchange-rx watch` as a user sees them, with escape sequences executed.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, startBrowser } from '../support/browser.js';
import { demoFile, environmentOf, startOnTerminal, terminalSize } from '../support/command.js';
import { hasProgram } from '../support/programs.js';

/** The escape sequence that moves the cursor up to draw over the previous view. */
const cursorUp = new RegExp(String.raw`\x1b\[\d+A`, 'g');

const hasScript = hasProgram('script', { by: 'the tests of the command on a terminal', debianPackage: 'bsdutils' });

describe.runIf(hasChromium && hasScript)('npm start on a terminal', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(() => browser.close());

  it('redraws one view in place, and prints the summary below it', async () => {
    const { code, stdout } = await startOnTerminal([], { DEMO_SECONDS: '3' }, demoFile).ended;
    const { lines, page } = await screenOf(browser, stdout);
    const rowsOf = (text: string) => lines.flatMap((line, row) => (line.includes(text) ? [row] : []));
    expect(code).toBe(0);
    expect(stdout.match(cursorUp)?.length).toBeGreaterThan(2);
    expect(rowsOf('Ctrl-C to stop')).toHaveLength(1);
    expect(rowsOf('last price')).toHaveLength(1);
    expect(rowsOf('ask ')).toHaveLength(4);
    expect(rowsOf('bid ')).toHaveLength(4);
    expect(rowsOf('Reconciled: ')[0]).toBeGreaterThan(rowsOf('Ctrl-C to stop')[0] ?? Number.NaN);
    await page.close();
  });

  it.each([{}, { NO_COLOR: '1' }])('fits on 80 by 24 characters: %j', async (environment) => {
    const size = { cols: 80, rows: 24 };
    const demo = startOnTerminal([], { DEMO_SECONDS: '4', ...environment }, demoFile, size);
    const { stdout } = await demo.ended;
    // The last screen is what was drawn before the summary.
    const { lines, page } = await screenOf(browser, stdout.slice(0, stdout.indexOf('\norders')), size);
    const top = lines.findIndex((line) => line.includes('Ctrl-C to stop'));
    expect(lines.filter((line) => line.includes('Ctrl-C to stop'))).toHaveLength(1);
    expect(lines.slice(top).filter((line) => /^(ask|bid) /.test(line))).toHaveLength(8);
    expect(lines.findLastIndex((line) => line !== '') - top).toBeLessThan(size.rows);
    expect(stdout.includes('\u001b[32m')).toBe(!('NO_COLOR' in environment));
    await page.close();
  });

  it.runIf(process.env['RECORD'] === 'true')(
    'is recorded for the README',
    async () => {
      const { stdout } = await startOnTerminal([], {}, demoFile).ended;
      const written = `\u001b[32m$\u001b[0m npm start\r\n${stdout}`;
      const { lines } = await screenOf(browser, written);
      // The screen fits its content, and one line for the cursor.
      const cols = Math.max(...lines.map(({ length }) => length));
      const { picture } = await screenOf(browser, written, {
        cols,
        rows: lines.findLastIndex((line) => line !== '') + 2,
      });
      await picture.screenshot({ path: resolve(import.meta.dirname, '../../docs/terminal.png') });
    },
    60_000,
  );
});

describe.runIf(hasChromium && hasScript)('exchange-rx watch on a terminal', () => {
  const size = { cols: 80, rows: 24 };
  let browser: Browser;
  let sandbox: Sandbox;
  let server: SandboxServer;

  beforeAll(async () => {
    browser = await startBrowser();
    sandbox = createSandbox({ seed: 3 });
    server = await sandbox.listen();
  });

  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  /** The screen after Ctrl-C, which was typed once the command had written `expected`. */
  async function screenAfter(words: readonly string[], expected: RegExp): Promise<readonly string[]> {
    const command = startOnTerminal(['watch', ...words], environmentOf(server), undefined, size);
    await command.wrote(expected);
    command.type('\u0003');
    const { code, stdout } = await command.ended;
    const { lines, page } = await screenOf(browser, stdout, size);
    await page.close();
    expect(code).toBe(130);
    return lines;
  }

  it('redraws 10 levels of an order book in place', async () => {
    const lines = await screenAfter(['book', 'BTC_USDT', '--levels', '10'], /(?:[^]*connected, Ctrl-C to stop){3}/);
    expect(lines.filter((line) => /^BTC_USDT {2}live {2}spread [\d.]+ {2}mid [\d.]+$/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('ask '))).toHaveLength(10);
    expect(lines.filter((line) => line.startsWith('bid '))).toHaveLength(10);
  });

  it('says why the book is stale when the connection is lost', async () => {
    const command = startOnTerminal(['watch', 'book', 'BTC_USDT'], environmentOf(server), undefined, size);
    await command.wrote('bid');
    // The refused attempt keeps the connection lost for 5 s: a shorter loss may not be drawn.
    sandbox.liveFault({ kind: 'status', status: 503 });
    sandbox.liveFault({ kind: 'cut' });
    await command.wrote(/stale[^]*connection refused \(HTTP 503\), next attempt in \d\.\d s[^]*live[^]*connected/);
    command.type('\u0003');
    expect((await command.ended).code).toBe(130);
  });

  it('redraws tickers in place, a column for each market', async () => {
    const lines = await screenAfter(
      ['ticker', 'ETH_USDT', 'BTC_USDT'],
      /ETH_USDT +BTC_USDT[^]*bid[^]*\n[^]*connected(?:[^]*\n){12}/,
    );
    expect(lines.filter((line) => /^ +ETH_USDT +BTC_USDT$/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => /^ask +[\d.]+ +[\d.]+$/.test(line))).toHaveLength(1);
  });
});

// A terminal's screen as a person sees it: xterm.js in a page, fed with what a program wrote to its terminal.
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

interface Screen {
  readonly lines: readonly string[];
  readonly picture: Locator;
  readonly page: Page;
}

/** What a terminal of this size shows that this was written to, and the lines that have left it at the top. */
async function screenOf(browser: Browser, written: string, size = terminalSize): Promise<Screen> {
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
