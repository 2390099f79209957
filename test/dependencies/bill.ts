// The software bill of materials: the packages that users get, in CycloneDX's format, as npm makes it. `npm sbom` leaves
// out bundled packages, so it runs in a folder whose lock file has exactly the packages that users get.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withShippedPackages } from './lock.js';

const run = promisify(execFile);

/** The part of a bill that is checked. */
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

/** The bill as npm writes it. Needs no registry: package-lock.json has everything. */
export function makeBill(): Promise<string> {
  return withShippedPackages(async (cwd) => {
    const { stdout } = await run('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
      cwd,
      maxBuffer: 2 ** 24,
    });
    return stdout;
  });
}
