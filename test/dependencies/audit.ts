// `.ci/audit`: known vulnerabilities stop a landing, any in the packages that users get, serious ones in those that build
// and test. A registry that cannot be reached does not stop it, because that is not about the change.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { withShippedPackages } from './lock.js';

/** The report of `npm audit` where it has a vulnerability of this severity or a higher one. */
function vulnerabilities(cwd: string, severity: 'low' | 'high'): Promise<string | undefined> {
  const words = ['audit', '--json', '--package-lock-only', `--audit-level=${severity}`];
  return new Promise((ended) => {
    execFile('npm', words, { cwd, maxBuffer: 2 ** 26 }, (error, stdout) => {
      const hasReport = stdout.includes('"auditReportVersion"');
      if (error !== null && !hasReport) console.error('npm audit: the registry could not be reached.');
      ended(error !== null && hasReport ? stdout : undefined);
    });
  });
}

const report =
  (await withShippedPackages((folder) => vulnerabilities(folder, 'low'))) ??
  (await vulnerabilities(resolve(import.meta.dirname, '../..'), 'high'));
if (report !== undefined) {
  console.log(report);
  process.exitCode = 1;
}
