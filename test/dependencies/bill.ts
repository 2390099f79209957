// `npm run sbom`: the bill of materials of the packages that users get, in CycloneDX's format, to sbom.json, to be attached
// to a release. `npm sbom` leaves out bundled packages, so it runs in a folder whose lock file has exactly these packages.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { withShippedPackages } from './lock.js';

const words = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
const bill = await withShippedPackages((cwd) =>
  Promise.resolve(execFileSync('npm', words, { cwd, maxBuffer: 2 ** 24 })),
);
writeFileSync(new URL('../../sbom.json', import.meta.url), bill);
