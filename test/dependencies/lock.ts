// What package.json asks for, and what package-lock.json says is installed for it.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sum } from '../support/figures.js';

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

/** What package.json asks for: ranges by name. */
export const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest;

export const lock = read('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
const { packages } = lock;

/**
 * The folders of what is installed with the package: what it asks for, but for peers that are optional, and what that
 * needs.
 */
export function installed(): ReadonlySet<string> {
  const asked = Object.keys({ ...dependencies, ...peerDependencies }).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  );
  return new Set(asked.flatMap((name) => [...closure(`node_modules/${name}`)]));
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

/** Bytes on disk, without the packages inside it. */
export function sizeOf(folder: string): number {
  return sum(
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter(({ name }) => name !== 'node_modules')
      .map((entry) =>
        entry.isDirectory() ? sizeOf(`${folder}/${entry.name}`) : statSync(join(root, folder, entry.name)).size,
      ),
  );
}
