// The software bill of materials: what is installed with the package, in CycloneDX's format, as npm makes it. npm
// leaves out of `npm sbom --omit=dev` what a development dependency needs too (picocolors, for one), so it is asked in
// a folder whose lock file has nothing else than what users install.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installed, lock, manifest } from './lock.js';

const run = promisify(execFile);

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
    const own = { ...manifest, devDependencies: {} };
    const others = [...installed()].map(
      (folder) => [folder, { ...lock.packages[folder], dev: false, devOptional: false }] as const,
    );
    await writeFile(join(cwd, 'package.json'), JSON.stringify(own));
    await writeFile(
      join(cwd, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: { '': own, ...Object.fromEntries(others) } }),
    );
    const { stdout } = await run('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
      cwd,
      maxBuffer: 2 ** 24,
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
