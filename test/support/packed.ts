// The package as `npm publish` would send it, and as its users have it: installed in an empty folder.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** The entry points of the package, by the name they are imported by. */
export const entryPoints = [
  'exchange-rx',
  ...['dashboard', 'endpoints', 'metrics', 'opentelemetry', 'recording', 'redis', 'sandbox'].map(
    (name) => `exchange-rx/${name}`,
  ),
];

export interface Packed {
  readonly tarball: string;
  /** Bytes, as that of its files. */
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

export async function pack(folder: string): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    maxBuffer: 2 ** 24,
  });
  const [packed] = JSON.parse(stdout) as (Packed & { filename: string })[];
  if (packed === undefined) throw new Error('nothing was packed');
  return { tarball: join(folder, packed.filename), size: packed.size, files: packed.files };
}

/** Packs it, and installs it with these packages in this empty folder. */
export async function packAndInstall(folder: string, packages: readonly string[]): Promise<void> {
  const { tarball } = await pack(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  await run('npm', ['install', '--no-audit', '--no-fund', tarball, ...packages], { cwd: folder });
}
