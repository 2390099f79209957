// What it takes to import a package, each time in a process of its own.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface StartUp {
  readonly importMs: number;
  /** Resident memory that it adds to an empty process, bytes. */
  readonly bytes: number;
}

/** Imports this in a fresh process, in which the folder's packages are found. */
export function startUpOf(specifier: string, folder: URL): StartUp {
  const program = `
    const rss = process.memoryUsage().rss;
    const since = performance.now();
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify({ importMs: performance.now() - since, bytes: process.memoryUsage().rss - rss }));
  `;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: fileURLToPath(folder),
      encoding: 'utf8',
    }),
  ) as StartUp;
}
