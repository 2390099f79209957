// The file that the command's key is kept in. It is used when nobody else could have written it, read it, or put it there; what is checked is what
// is read, by one descriptor. No message holds a word of what is in it.
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, realpathSync, statSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import * as v from 'valibot';
import { RequestError } from '../errors.js';
import { baseUrlOf } from '../options.js';
import { exitCodes, UsageError } from './exit-codes.js';

const fileSchema = v.strictObject({
  baseUrl: v.exactOptional(v.string()),
  apiKey: v.string(),
  apiSecret: v.string(),
});

export type CredentialsFile = v.InferOutput<typeof fileSchema>;

/** Bytes; a key and an address need a few hundred. */
const maxSize = 65_536;

/** The file that is read when none is named; `undefined` where the user has no home. */
export function defaultCredentialsFile(): string | undefined {
  const home = homeDirectory();
  return home === undefined ? undefined : join(home, '.config/exchange-rx/credentials.json');
}

function homeDirectory(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    // Neither HOME nor an entry of this user in the system's list.
    return undefined;
  }
}

/** Whether there is anything of this name, whatever it is; what cannot be looked at counts as there. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(codeOf(error));
  }
}

/** Reads the file; throws {@link UsageError} with exit code 3 when it is not safe or not whole. */
export function readCredentialsFile(path: string): CredentialsFile {
  const refuse = (problem: string) => new UsageError(`${path}: ${problem}`, exitCodes.credentials);
  try {
    for (const problem of placeProblems(path)) throw refuse(problem);
    return parsed(contentOf(path, refuse), refuse);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw refuse(reasons[codeOf(error)] ?? `cannot be read (${codeOf(error)})`);
  }
}

type Refuse = (problem: string) => UsageError;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'you are not allowed to read it',
  EPERM: 'you are not allowed to read it',
  ELOOP: 'its symbolic links lead nowhere',
  EISDIR: 'is not a regular file',
  ENXIO: 'is not a regular file',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown reason';
}

/** Opened so that a pipe nobody writes to does not hold up the command, and a terminal does not become its own. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

function contentOf(path: string, refuse: Refuse): Buffer {
  const file = openSync(path, flags);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw refuse('is not a regular file');
    if (hasOwners) {
      if (stats.uid !== process.geteuid?.()) throw refuse('belongs to another user');
      if ((stats.mode & byOthers) !== 0) throw refuse(`others can read it. Make it yours alone: chmod 600 ${path}`);
    }
    // What it holds, and not the size that is written beside it.
    const content = Buffer.alloc(maxSize + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxSize; length += read) read = readSync(file, content, length, content.length - length, null);
    if (length > maxSize) throw refuse(`has more than ${maxSize / 1024} KiB`);
    return content.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function parsed(content: Buffer, refuse: Refuse): CredentialsFile {
  let text: string;
  try {
    // A byte order mark, as some editors write it, is left out.
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw refuse('must be text in UTF-8');
  }
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), fileSchema), text);
  if (!result.success) throw refuse('must be JSON with "apiKey", "apiSecret" and, if you like, "baseUrl"');
  const { baseUrl } = result.output;
  try {
    if (baseUrl !== undefined) baseUrlOf({ baseUrl });
  } catch (error) {
    throw refuse(`its baseUrl ${error instanceof RequestError ? error.issues.map(({ message }) => message).join('; ') : 'cannot be used'}`);
  }
  return result.output;
}

/** Windows keeps owners and rights in another way, which Node does not show. */
const hasOwners = process.platform !== 'win32';
const byOthers = 0o077;
const writableByOthers = 0o022;
/** In a directory with this bit, such as /tmp, only the owner of a file can rename or remove it. */
const sticky = 0o1000;

/** As many links as Linux follows; opening it fails where there are more. */
const maxLinks = 40;

/** Who could put another file in its place: whoever can write to a directory on the way to it, or owns a link that leads there. */
function* placeProblems(path: string): Generator<string> {
  if (!hasOwners) return;
  let place: string | undefined = resolve(path);
  for (let links = 0; place !== undefined && links <= maxLinks; links += 1) {
    const directory: string = realpathSync(dirname(place));
    for (const one of upwards(directory)) {
      const stats = statSync(one);
      if (!isTrusted(stats)) yield `its directory ${one} belongs to another user, who could replace it`;
      if ((stats.mode & writableByOthers) !== 0 && (stats.mode & sticky) === 0) yield `others can write to its directory and could replace it: chmod go-w ${one}`;
    }
    const entry = join(directory, basename(place));
    const stats = lstatSync(entry);
    const isLink = stats.isSymbolicLink();
    if (isLink && !isTrusted(stats)) yield 'is reached by a symbolic link of another user';
    place = isLink ? resolve(directory, readlinkSync(entry)) : undefined;
  }
}

function isTrusted({ uid }: Stats): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

/** A directory and those that it is in: up to the user's home, which they keep themselves, or to the root. */
function* upwards(directory: string): Generator<string> {
  const home = homeDirectory();
  for (let place = directory; ; place = dirname(place)) {
    yield place;
    if (place === home || place === dirname(place)) return;
  }
}
