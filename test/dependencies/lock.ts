// The dependencies in package.json, and the packages that package-lock.json has for them.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

type Names = Readonly<Record<string, string>>;

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  /** npm's word: needed for development alone. */
  readonly dev?: boolean;
  /** npm's word: needed for development, or if a user has it. */
  readonly devOptional?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

interface Manifest {
  readonly dependencies: Names;
  readonly devDependencies: Names;
  readonly peerDependencies: Names;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export const manifest = read('package.json') as Manifest;

/** Ranges by name. */
export const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest;

export const lock = read('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
const { packages } = lock;

/** The dependencies that are bundled into the published files: the development dependencies that src imports. */
export const bundled = Object.keys(devDependencies).filter(
  (name) =>
    !(name in peerDependencies) &&
    readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).some(
      (file) =>
        file.endsWith('.ts') &&
        new RegExp(`^import (?!type)[^;]* from '${name}['/]`, 'm').test(readFileSync(join(root, 'src', file), 'utf8')),
    ),
);

/** What package.json would depend on if nothing were bundled; without optional peers. */
export const shipped: Names = Object.fromEntries(
  Object.entries({ ...dependencies, ...peerDependencies, ...devDependencies }).filter(
    ([name]) =>
      name in dependencies ||
      bundled.includes(name) ||
      (name in peerDependencies && peerDependenciesMeta[name]?.optional !== true),
  ),
);

/** The folders of all packages that users get: dependencies, what is bundled, and what these depend on. */
export function shippedFolders(): ReadonlySet<string> {
  return new Set(Object.keys(shipped).flatMap((name) => [...closure(`node_modules/${name}`)]));
}

/** Calls back with a folder whose package.json and package-lock.json have the packages that users get, and no others. */
export async function withShippedPackages<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const temporary = await mkdtemp(join(tmpdir(), 'exchange-rx-shipped-'));
  try {
    // npm names a bill of materials after the folder.
    const folder = join(temporary, 'exchange-rx');
    await mkdir(folder);
    const others = { devDependencies: {}, peerDependencies: {}, peerDependenciesMeta: {} };
    const own = { ...manifest, ...others, dependencies: shipped };
    const installed = [...shippedFolders()].map(
      (path) => [path, { ...packages[path], dev: false, devOptional: false }] as const,
    );
    await writeFile(join(folder, 'package.json'), JSON.stringify(own));
    await writeFile(
      join(folder, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: { '': own, ...Object.fromEntries(installed) } }),
    );
    return await use(folder);
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** What is installed in a folder such as `node_modules/ky`. */
export function locked(folder: string): Locked {
  const found = packages[folder];
  if (found === undefined) throw new Error(`package-lock.json has no ${folder}`);
  return found;
}

/** The folders of a package and of everything that it needs. */
export function closure(folder: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(folder)) return known;
  known.add(folder);
  const { dependencies: needed, optionalDependencies: optional } = locked(folder);
  for (const name of Object.keys({ ...needed, ...optional })) closure(nearest(folder, name), known);
  return known;
}

/** Where a package in this folder finds another one: as Node looks for it, from the inside out. */
function nearest(folder: string, name: string): string {
  const inside = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
  if (inside in packages) return inside;
  if (folder === '') throw new Error(`package-lock.json has no ${name}`);
  return nearest(folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/'))), name);
}
