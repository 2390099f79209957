// The software bill of materials: what is installed with the package, in CycloneDX's format, as npm makes it.
// npm leaves out of `npm sbom --omit=dev` what a development dependency needs too (picocolors, for one), so it is asked in a folder that has
// no development dependencies.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** The part of a bill that is looked at. */
export interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
  }[];
}

/** The bill as npm writes it. Needs no registry: package-lock.json knows everything. */
export async function makeBill(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'exchange-rx-bill-'));
  try {
    // npm names what the bill is of after its folder.
    const cwd = join(folder, 'exchange-rx');
    await mkdir(cwd);
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ ...manifest, devDependencies: {} }));
    await cp(join(root, 'package-lock.json'), join(cwd, 'package-lock.json'));
    await run('npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd });
    const { stdout } = await run('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], { cwd, maxBuffer: 2 ** 24 });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
