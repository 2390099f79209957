// Debian's Chromium, driven by playwright-core, and axe in its pages.
import type { AxeResults } from 'axe-core';
import { createRequire } from 'node:module';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { programCoverage } from './command.js';
import { hasProgram } from './programs.js';

export const hasChromium = hasProgram('chromium', {
  by: "the tests of the dashboard's page",
  debianPackage: 'chromium',
});

/** Starts it without a window. Its own sandbox needs privileges that containers lack; it only opens pages of ours. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** A browser for the tests of a `describe`. */
export function browserForTests(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  return () => browser;
}

/** The same, and a page for each of the tests, which must not log or throw an error. */
export function pageForEach() {
  const browser = browserForTests();
  let page: Page;
  /** What the page has logged as errors, and what it has thrown. */
  let errors: string[];
  let expected: RegExp;
  beforeEach(async () => {
    page = await browser().newPage();
    await measureBranches(page);
    errors = [];
    expected = /^$/;
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', ({ message }) => errors.push(message));
  });
  afterEach(async () => {
    await writeBranches(page);
    await page.close();
    expect(errors.filter((text) => !expected.test(text))).toEqual([]);
  });
  return {
    current: () => page,
    another: () => browser().newPage(),
    /** Errors that the browser logs of responses that the test sends. */
    expectErrors: (pattern: RegExp) => {
      expected = pattern;
    },
    /** Resolves once an element of this place contains the text. */
    see: async (place: string, text: string | RegExp): Promise<void> => {
      const places = page.locator(place);
      await places
        .filter({ hasText: text })
        .first()
        .waitFor({ timeout: 60_000 })
        .catch(async (cause: unknown) => {
          const shown = JSON.stringify(await places.allInnerTexts());
          const seen = [...errors, ...(await page.locator('#events').allInnerTexts())].join('\n');
          throw new Error(`${place} shows ${shown} after 60 s, not ${String(text)}: ${seen}`, { cause });
        });
    },
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with the page as it stands, a line each. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run();
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
  });
}

/** The page's script before it is minified. */
const countedScript = resolve(import.meta.dirname, '../../build/counted/cli/dashboard/page/main.js');

/** From here on, which branches its script takes is known, where {@link programCoverage} asks for it. */
async function measureBranches(page: Page): Promise<void> {
  if (programCoverage === undefined) return;
  await page.route('**/page/main.js', (route) => route.fulfill({ path: countedScript }));
  await page.coverage.startJSCoverage({ resetOnNavigation: false });
}

/** Writes it, as Node does of its processes. */
async function writeBranches(page: Page): Promise<void> {
  if (programCoverage === undefined) return;
  const scripts = (await page.coverage.stopJSCoverage()).flatMap(({ url, scriptId, functions }) =>
    url.endsWith('/page/main.js') ? [{ scriptId, url: pathToFileURL(countedScript).href, functions }] : [],
  );
  mkdirSync(programCoverage, { recursive: true });
  writeFileSync(join(programCoverage, `coverage-page-${randomUUID()}.json`), JSON.stringify({ result: scripts }));
}
