// The file that the command's key is kept in. It is used when nobody else could have written it, read it, or put it
// there; what is checked is what is read, by one descriptor. No message holds a word of what is in it.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import * as v from 'valibot';
import { RequestError } from '../errors/index.js';
import { baseUrlOf } from '../client/index.js';
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

/** Whether there is anything of this name, whatever it is. Where this user may not look, nothing of theirs is. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(codeOf(error));
  }
}

/** Reads the file; throws {@link UsageError} with exit code 3 when it is not safe or not whole. */
export function readCredentialsFile(path: string): CredentialsFile {
  const refuse = (problem: string) => new UsageError(`${path}: ${problem}`, exitCodes.credentials);
  try {
    // What is checked is what is opened: `link/../file` is `file` to both.
    const place = resolve(path);
    const owners = ownersOf(place);
    for (const problem of placeProblems(place, owners)) throw refuse(problem);
    return parsed(contentOf(place, owners, refuse), refuse);
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

function contentOf(path: string, owners: Owners, refuse: Refuse): Buffer {
  const file = openSync(path, flags);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw refuse('is not a regular file');
    if (hasOwners) {
      if (stats.uid !== owners.file) {
        throw refuse(
          'belongs to another user. Make it yours (chown), or set EXCHANGE_API_KEY and EXCHANGE_API_SECRET instead',
        );
      }
      if ((stats.mode & byOthers) !== 0) throw refuse(`others can read it. Make it yours alone: chmod 600 ${path}`);
    }
    // What it holds, and not the size that is written beside it.
    const content = Buffer.alloc(maxSize + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxSize; length += read)
      read = readSync(file, content, length, content.length - length, null);
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
    throw refuse(
      `its baseUrl ${error instanceof RequestError ? error.issues.map(({ message }) => message).join('; ') : 'cannot be used'}`,
    );
  }
  return result.output;
}

/** Windows keeps owners and rights in another way, which Node does not show. */
const hasOwners = process.platform !== 'win32';
const byOthers = 0o077;
/** In a directory with this bit, such as /tmp, only the owner of a file can rename or remove it. */
const sticky = 0o1000;

/** As many links as Linux follows; opening it fails where there are more. */
const maxLinks = 40;

/** The users who may have made the file, and what leads to it. */
interface Owners {
  readonly file: number | undefined;
  readonly place: readonly (number | undefined)[];
}

/**
 * The file is its user's own. To root it may be anyone's, who then may have made the way to it, too: it is mounted into
 * a container, or the command is run by sudo.
 */
function ownersOf(path: string): Owners {
  const user = process.geteuid?.();
  const file = user === 0 ? statSync(path).uid : user;
  return { file, place: [0, user, file] };
}

/**
 * Who could put another file in its place: whoever can write to a directory on the way to it, or owns a link that leads
 * there.
 */
function* placeProblems(path: string, owners: Owners): Generator<string> {
  if (!hasOwners) return;
  const isTrusted = ({ uid }: Stats) => owners.place.includes(uid);
  for (const { directory, entry } of wayTo(path)) {
    const stats = statSync(directory);
    if (!isTrusted(stats)) yield `its directory ${directory} belongs to another user, who could replace it`;
    if (isWritableByOthers(stats))
      yield `others can write to its directory and could replace it: chmod go-w ${directory}`;
    const found = lstatSync(entry);
    if (found.isSymbolicLink() && !isTrusted(found)) yield 'is reached by a symbolic link of another user';
  }
}

const writableByGroup = 0o020;
const writableByAll = 0o002;

function isWritableByOthers({ mode, gid }: Stats): boolean {
  if ((mode & sticky) !== 0) return false;
  return (mode & writableByAll) !== 0 || ((mode & writableByGroup) !== 0 && !isPrivateGroup(gid));
}

/**
 * The group that a system makes for one user, by the user's own number; with it, directories can be written to by their
 * group (umask 002).
 */
function isPrivateGroup(gid: number): boolean {
  return gid === process.getegid?.() && gid === process.geteuid?.();
}

/** One step on the way to a file: what is looked up, and the directory in which it is. */
interface Step {
  readonly directory: string;
  readonly entry: string;
}

/**
 * Every step from the root to a file by its absolute path, links followed; of a file in the user's home, from there:
 * its surroundings are kept by the system.
 */
function* wayTo(path: string): Generator<Step> {
  const home = homeDirectory();
  const realHome = home === undefined ? undefined : realPathOf(home);
  const below = realHome === undefined ? undefined : pathBelow(home ?? '', path);
  let directory = realHome !== undefined && below !== undefined ? realHome : sep;
  const names = (below ?? path).split(sep);
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const entry = join(directory, name);
    if (name === '' || name === '.') continue;
    if (name !== '..' && (realHome === undefined || pathBelow(entry, realHome) === undefined))
      yield { directory, entry };
    if (name === '..' || !lstatSync(entry).isSymbolicLink()) {
      directory = entry;
      continue;
    }
    if (++links > maxLinks) return;
    const target = readlinkSync(entry);
    if (isAbsolute(target)) directory = sep;
    names.unshift(...target.split(sep));
  }
}

function realPathOf(directory: string): string | undefined {
  try {
    return realpathSync(directory);
  } catch {
    return undefined;
  }
}

/** The path of what is in a directory, or is that directory, from there; `undefined` for all else. */
function pathBelow(directory: string, path: string): string | undefined {
  const below = relative(directory, path);
  return below === '..' || below.startsWith(`..${sep}`) ? undefined : below;
}
