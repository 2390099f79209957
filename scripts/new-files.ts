// What `npm run new:endpoint` and `npm run new:channel` share: files that must not exist yet.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './docs/groups.js';

/** Ends the program with what is wrong, and how it is used. */
export function failWith(problem: string, usage: string): never {
  console.error(`${problem}\nUsage: ${usage}`);
  process.exit(1);
}

/** `listAll` as the name of a file: `list-all`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The names of those files that exist. */
export function existing(files: readonly string[]): readonly string[] {
  return files.filter((file) => existsSync(join(root, file)));
}

/** Writes files as Prettier formats them, and prints their names. */
export async function writeFormatted(files: ReadonlyMap<string, string>): Promise<void> {
  for (const [file, text] of files) {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await format(text, { ...(await resolveConfig(path)), filepath: path }));
    console.log(file);
  }
}
