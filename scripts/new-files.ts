// What `npm run new:endpoint` and `npm run new:channel` share: files that must not exist yet.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './docs/groups.js';

class Refusal extends Error {}

/** Ends the program with this problem and its usage. */
export function refuse(problem: string): never {
  throw new Refusal(problem);
}

export function refuseExisting(files: readonly string[]): void {
  for (const file of files) if (existsSync(join(root, file))) refuse(`${file} exists.`);
}

/** Runs a file that was started as a program: prints the names of the files that it writes. */
export async function runAsProgram(
  file: string,
  make: (words: readonly string[]) => Promise<readonly string[]>,
  usage: string,
): Promise<void> {
  if (process.argv[1] !== file) return;
  try {
    for (const made of await make(process.argv.slice(2))) console.log(made);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`${error.message}\nUsage: ${usage}`);
    process.exitCode = 1;
  }
}

/** `listAll` as the name of a file: `list-all`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Writes files as Prettier formats them, and returns their names. */
export async function writeFormatted(files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  for (const [file, text] of files) {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await format(text, { ...(await resolveConfig(path)), filepath: path }));
  }
  return [...files.keys()];
}
