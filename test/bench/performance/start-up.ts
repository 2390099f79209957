// What it takes to import a package, each in a process of its own; and what it takes to ship it.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

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
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: fileURLToPath(folder), encoding: 'utf8' })) as StartUp;
}

export interface BundleSize {
  readonly minified: number;
  readonly gzipped: number;
}

/** The size of a program in one file, with everything that it uses of its packages. */
export async function bundleSizeOf(program: string): Promise<BundleSize> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('../../..', import.meta.url)), loader: 'js' },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    // Loaded only when it is asked for.
    external: ['ioredis'],
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild wrote nothing');
  return { minified: file.contents.length, gzipped: gzipSync(file.contents).length };
}
