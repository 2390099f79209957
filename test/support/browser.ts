// Debian's Chromium, driven by playwright-core, and axe in its pages.
import { createRequire } from 'node:module';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
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

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with the page as it stands, a line each. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run();
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
  });
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** From here on, which branches its scripts take is known, where {@link programCoverage} asks for it. */
export async function measureBranches(page: Page): Promise<void> {
  if (programCoverage !== undefined) await page.coverage.startJSCoverage({ resetOnNavigation: false });
}

/**
 * Writes it, as Node does of its processes: a script is the file of its address, without the dashboard's token, below
 * this folder.
 */
export async function writeBranches(page: Page, folder: string): Promise<void> {
  if (programCoverage === undefined) return;
  const scripts = (await page.coverage.stopJSCoverage()).flatMap(({ url, scriptId, functions }) => {
    const file = join(folder, new URL(url).pathname.replace(/^\/[^/]*/, ''));
    return existsSync(file) ? [{ scriptId, url: pathToFileURL(file).href, functions }] : [];
  });
  mkdirSync(programCoverage, { recursive: true });
  writeFileSync(join(programCoverage, `coverage-page-${randomUUID()}.json`), JSON.stringify({ result: scripts }));
}
