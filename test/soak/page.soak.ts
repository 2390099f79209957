// The trading page, open for hours on an exchange that moves, with connections that are cut: the memory of its tab and of
// its server.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { Subscription } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxActivity, sandboxOptions } from '../../src/cli/dashboard/sandbox-activity.js';
import { createExchange } from '../../src/index.js';
import { createSandbox, type Sandbox, type SandboxServer } from '../../src/sandbox/index.js';
import { hasChromium, startBrowser } from '../support/browser.js';
import { start } from '../support/children.js';
import type { PageServerOptions } from './page-server.js';
import { report } from './report.js';
import { heapGrowth, usageRows, type Usage } from './usage.js';

/** Eight hours by `npm run soak:page`. */
const seconds = Number(process.env['PAGE_SOAK_SECONDS'] ?? 60);
const warmUpMs = 30_000;
const samples = 10;
/** After a collection: what a browser has not collected yet depends on the machine. A minute takes 50, hours 61. */
const maxTabMegabytes = 90;

describe.runIf(hasChromium)('the trading page', () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let server: SandboxServer;
  let trading: Subscription;

  beforeAll(async () => {
    browser = await startBrowser();
    sandbox = createSandbox({ ...sandboxOptions, retentionMs: 600_000 });
    server = await sandbox.listen();
    trading = sandboxActivity(createExchange({ ...sandbox.clientOptions(), warnings: false })).subscribe();
  });

  afterAll(async () => {
    trading.unsubscribe();
    await browser.close();
    await server.close();
  });

  it(
    'takes less than 90 MB in its tab, garbage excepted, and its server ends within 5 MB of the memory with which it began',
    async () => {
      const options: PageServerOptions = { client: server.clientOptions(), warmUpMs, seconds };
      const child = start(new URL('page-server.ts', import.meta.url), options);
      const { url } = await child.ask<{ readonly url: string }>();
      const reported = child.ask<Usage>();
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', ({ message }) => errors.push(message));
      await page.goto(url);
      const state = page.locator('#worst', { hasText: 'Live' });
      await state.waitFor({ timeout: warmUpMs });
      let cuts = 0;
      const cutting = setInterval(
        () => {
          cuts += 1;
          sandbox.liveFault({ kind: 'cut' });
        },
        Math.min(60_000, (seconds * 1000) / 3),
      );
      const devTools = await page.context().newCDPSession(page);
      const [withGarbage, tab]: [number[], number[]] = [[], []];
      for (let sample = 0; sample < samples; sample += 1) {
        await sleep((seconds * 1000) / samples);
        withGarbage.push(await privateMegabytes(browser));
        await devTools.send('HeapProfiler.collectGarbage');
        tab.push(await privateMegabytes(browser));
      }
      clearInterval(cutting);
      const usage = await reported;
      report(
        `The trading page, ${seconds} s`,
        ['', ''],
        [
          ['connections cut', `${cuts}`],
          ['private memory of the tab, ten times, MB', inWords(withGarbage)],
          ['a moment later, after a collection, MB', inWords(tab)],
          ...usageRows(usage).map(([name = '', ...values]) => [name.replace('the client', 'the server'), ...values]),
        ],
      );
      expect(errors).toEqual([]);
      expect(Math.max(...tab)).toBeLessThan(maxTabMegabytes);
      expect(heapGrowth(usage)).toBeLessThan(5);
    },
    seconds * 1000 + 180_000,
  );
});

function inWords(megabytes: readonly number[]): string {
  return megabytes.map((one) => one.toFixed(0)).join(', ');
}

/** The private memory of the largest tab, which Chromium's task manager shows. */
async function privateMegabytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const tabs = processInfo.filter(({ type }) => type === 'renderer');
  return Math.max(...tabs.map(({ id }) => residentKilobytes(id) / 1024));
}

function residentKilobytes(id: number): number {
  const status = readFileSync(`/proc/${id}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]);
}
