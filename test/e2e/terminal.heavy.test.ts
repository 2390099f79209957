// The screens of `npm start` and of `exchange-rx watch` as a user sees them, with escape sequences executed.
import { createExchange } from 'exchange-rx';
import type { SandboxServer } from 'exchange-rx/sandbox';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { concat, concatMap, lastValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { browserForTests, hasChromium } from '../support/browser.js';
import { demoFile, startOnTerminal } from '../support/command.js';
import { hasProgram } from '../support/programs.js';
import { linesOf, pictureOf, screenOf, type Screen } from '../support/screen.js';
import { servedForFile, servedForTest } from '../support/served.js';

/** The escape sequence that moves the cursor up to draw over the previous view. */
const cursorUp = new RegExp(String.raw`\x1b\[\d+A`, 'g');

/** What each row of a picture begins with, without its figures. */
const shapeOf = (picture: string) =>
  picture
    .split('\n')
    .slice(2, -2)
    .map((row) => /<text[^>]*>(?<words>[^<]*)/.exec(row)?.groups?.['words']?.replaceAll(/-?\d[\d.]*/g, '0'));

/** The picture of docs shows the rows of this screen. RECORD=true draws it again. */
function expectPicture(name: string, screen: Screen): void {
  const file = resolve(import.meta.dirname, `../../docs/${name}.svg`);
  const picture = pictureOf(screen);
  if (process.env['RECORD'] === 'true') writeFileSync(file, picture);
  expect(shapeOf(picture)).toEqual(shapeOf(readFileSync(file, 'utf8')));
  expect(Buffer.byteLength(picture)).toBeLessThan(80_000);
}

/** Two bids of one's own, and ten trades. */
function trade(server: SandboxServer): Observable<unknown> {
  const { public: market, spot } = createExchange(server.clientOptions());
  const order = { market: 'BTC_USDT', side: 'buy' } as const;
  return market.tickers().pipe(
    concatMap(({ BTC_USDT }) => {
      const bid = (share: number, amount: string) =>
        spot.placeLimitOrder({ ...order, amount, price: (Number(BTC_USDT?.last_price) * share).toFixed(2) });
      const buys = Array.from({ length: 10 }, (_, index) =>
        spot.placeStockMarketOrder({ ...order, side: index % 3 === 1 ? 'sell' : 'buy', amount: `0.0${90 + index}` }),
      );
      return concat(bid(0.9997, '0.8'), bid(0.9982, '1.25'), ...buys);
    }),
  );
}

const size = { cols: 80, rows: 24 };
const { environment } = await servedForFile({ seed: 3 });
const hasScript = hasProgram('script', { by: 'the tests of the command on a terminal', debianPackage: 'bsdutils' });

describe.runIf(hasChromium && hasScript)('npm start on a terminal', () => {
  const browser = browserForTests();

  it('redraws one view in place on 80 by 24 characters, and prints the summary below it', async () => {
    const { code, stdout } = await startOnTerminal([], { DEMO_SECONDS: '3' }, demoFile, size).ended;
    const lines = linesOf(await screenOf(browser(), stdout, size));
    const rowsOf = (text: string) => lines.flatMap((line, row) => (line.includes(text) ? [row] : []));
    expect(code).toBe(0);
    expect(stdout.match(cursorUp)?.length).toBeGreaterThan(2);
    expect(rowsOf('Ctrl-C to stop')).toHaveLength(1);
    expect(rowsOf('last price')).toHaveLength(1);
    expect(rowsOf('ask ')).toHaveLength(4);
    expect(rowsOf('bid ')).toHaveLength(4);
    expect(rowsOf('Reconciled: ')[0]).toBeGreaterThan(rowsOf('Ctrl-C to stop')[0] ?? Number.NaN);
  });

  it('shows the rows of its picture in the README', async () => {
    const { stdout } = await startOnTerminal([], {}, demoFile).ended;
    const screen = await screenOf(browser(), `\u001b[32m$\u001b[0m npm start\r\n${stdout}`);
    expectPicture('terminal', screen);
  });
});

describe.runIf(hasChromium && hasScript)('exchange-rx watch on a terminal', () => {
  const browser = browserForTests();

  /** The screen after Ctrl-C, which was typed once the command had written `expected`. */
  async function screenAfter(words: readonly string[], expected: RegExp): Promise<readonly string[]> {
    const command = startOnTerminal(['watch', ...words], environment, undefined, size);
    await command.wrote(expected);
    command.type('\u0003');
    const { code, stdout } = await command.ended;
    const lines = linesOf(await screenOf(browser(), stdout, size));
    expect(code).toBe(130);
    return lines;
  }

  it('redraws 5 levels of an order book in place', async () => {
    const lines = await screenAfter(['book', 'BTC_USDT', '--levels', '5'], /(?:[^]*connected {2}q quit){3}/);
    expect(lines.filter((line) => /^BTC_USDT .* spread [\d.]+ +live [\d.]+ s$/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => /^ *[\d.]+ +[\d.]+ +[\d.]+ +[█▏▎▍▌▋▊▉]+$/.test(line))).toHaveLength(10);
  });

  it('shows the rows of its picture in docs/command.md', async () => {
    const traded = await servedForTest({ seed: 3 });
    const wide = { cols: 120, rows: 30 };
    const words = ['watch', 'book', 'BTC_USDT', '--levels', '10'];
    const command = startOnTerminal(words, traded.environment, undefined, wide);
    await command.wrote('connected');
    await lastValueFrom(trade(traded.server));
    // Ten trades: which amounts they have depends on the moment, since an order may fill at several prices.
    await command.wrote(/(?:[^]*?\d\d:\d\d:\d\d){10}/);
    command.type('q');
    const { stdout } = await command.ended;
    const line = '\u001b[32m$\u001b[0m npx exchange-rx watch book BTC_USDT --levels 10 --sandbox';
    expectPicture('watch-book', await screenOf(browser(), `${line}\r\n${stdout}`, wide));
  });

  it('changes the ladder with keys, and ends with 0 at q', async () => {
    const command = startOnTerminal(['watch', 'book', 'BTC_USDT'], environment, undefined, size);
    await command.wrote('q quit  + - levels  g group  space hold');
    command.type('g');
    await command.wrote('grouped x10');
    command.type(' ');
    await command.wrote('HELD 0:0');
    command.type('q');
    expect((await command.ended).code).toBe(0);
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
