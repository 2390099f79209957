// The screen of `npm start` as a user sees it, with escape sequences executed.
import { createSandbox } from 'exchange-rx/sandbox';
import { resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, startBrowser } from '../support/browser.js';
import { demoFile, environmentOf, startOnTerminal } from '../support/command.js';
import { hasProgram } from '../support/programs.js';
import { screenOf } from '../support/screen.js';

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
    expect(rowsOf('BTC_USDT, candles of 1s')).toHaveLength(1);
    expect(rowsOf(' ask ')).toHaveLength(4);
    expect(rowsOf(' bid ')).toHaveLength(4);
    expect(lines.some((line) => /[█▒━]/.test(line))).toBe(true);
    expect(rowsOf('Reconciled: ')[0]).toBeGreaterThan(rowsOf('Ctrl-C to stop')[0] ?? Number.NaN);
    await page.close();
  });

  it.each([{}, { NO_COLOR: '1' }])('fits on 80 by 24 characters: %j', async (environment) => {
    const size = { cols: 80, rows: 24 };
    const demo = startOnTerminal([], { DEMO_SECONDS: '4', ...environment }, demoFile, size);
    const { stdout } = await demo.ended;
    // The last screen is what was drawn before the summary.
    const { lines, page } = await screenOf(browser, stdout.slice(0, stdout.indexOf('┌')), size);
    const top = lines.findIndex((line) => line.includes('Ctrl-C to stop'));
    expect(lines.filter((line) => line.includes('Ctrl-C to stop'))).toHaveLength(1);
    expect(lines.slice(top).filter((line) => / (ask|bid) /.test(line))).toHaveLength(8);
    expect(lines.findLastIndex((line) => line !== '') - top).toBeLessThan(size.rows);
    expect(stdout.includes('\u001b[32m')).toBe(!('NO_COLOR' in environment));
    await page.close();
  });

  it('draws latencies of another exchange', async () => {
    const server = await createSandbox().listen();
    const { code, stdout } = await startOnTerminal([], { ...environmentOf(server), DEMO_SECONDS: '3' }, demoFile).ended;
    await server.close();
    const { lines, page } = await screenOf(browser, stdout);
    expect(code).toBe(0);
    expect(lines.filter((line) => line.includes('last price'))).toEqual([]);
    expect(lines.filter((line) => /^latency \S/.test(line))).toHaveLength(1);
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
