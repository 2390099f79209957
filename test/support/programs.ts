// Programs that some tests need, and a fresh machine may lack: there those tests are skipped, with a line that says so.
// In CI it is a failure.
import { execFileSync } from 'node:child_process';

export function hasProgram(name: string, needed: { readonly by: string; readonly debianPackage: string }): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    const install = `On Debian: apt-get install ${needed.debianPackage}`;
    if (process.env['CI'] === 'true') throw new Error(`${name} is not installed. ${install}`);
    console.warn(`Skipped: ${needed.by} need ${name}. ${install}`);
    return false;
  }
}
