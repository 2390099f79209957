// The credentials file. It is used only when no other user can have written, read or replaced it. The checks and the
// read use one file descriptor. No error message quotes the content.
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

/** Bytes; a key and a base URL need a few hundred. */
const maxSize = 65_536;

/** The file that is read when no other is named; `undefined` for a user without a home directory. */
export function defaultCredentialsFile(): string | undefined {
  const home = homeDirectory();
  return home === undefined ? undefined : join(home, '.config/exchange-rx/credentials.json');
}

function homeDirectory(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    // Neither HOME nor the system's user database has a home directory of this user.
    return undefined;
  }
}

/** Whether the path exists, as a file or anything else. A path in a directory that this user cannot access does not. */
export function fileExists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(codeOf(error));
  }
}

/** Reads the file; throws {@link UsageError} with exit code 3 when it is unsafe or malformed. */
export function readCredentialsFile(path: string): CredentialsFile {
  const refusal = (problem: string) => new UsageError(`${path}: ${problem}`, exitCodes.credentials);
  try {
    // The check and the open use the same path: `link/../file` is `file` to both.
    const absolutePath = resolve(path);
    const owners = trustedOwners(absolutePath);
    for (const problem of pathProblems(absolutePath, owners)) throw refusal(problem);
    return parse(readContent(absolutePath, owners, refusal), refusal);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw refusal(systemErrors[codeOf(error)] ?? `cannot be read (${codeOf(error)})`);
  }
}

type Refusal = (problem: string) => UsageError;

const systemErrors: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  ENOTDIR: 'file not found',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'too many levels of symbolic links',
  EISDIR: 'not a regular file',
  ENXIO: 'not a regular file',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown reason';
}

/** Opening a pipe without a writer does not block, and a terminal does not become the controlling one. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

function readContent(path: string, owners: TrustedOwners, refusal: Refusal): Buffer {
  const file = openSync(path, flags);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw refusal('not a regular file');
    if (hasOwners) {
      if (stats.uid !== owners.file) {
        throw refusal(
          'owned by another user: change its owner with chown, or set EXCHANGE_API_KEY and EXCHANGE_API_SECRET instead',
        );
      }
      if ((stats.mode & accessByOthers) !== 0) throw refusal(`accessible to other users: run chmod 600 ${path}`);
    }
    // The size in `stats` may be wrong: a device has no end.
    const content = Buffer.alloc(maxSize + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxSize; length += read)
      read = readSync(file, content, length, content.length - length, null);
    if (length > maxSize) throw refusal(`larger than ${maxSize / 1024} KiB`);
    return content.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function parse(content: Buffer, refusal: Refusal): CredentialsFile {
  let text: string;
  try {
    // The decoder drops a byte order mark, which some editors write.
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw refusal('not UTF-8 text');
  }
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), fileSchema), text);
  if (!result.success) throw refusal('must be a JSON object with "apiKey", "apiSecret" and optionally "baseUrl"');
  const { baseUrl } = result.output;
  try {
    if (baseUrl !== undefined) baseUrlOf({ baseUrl });
  } catch (error) {
    throw refusal(
      `baseUrl ${error instanceof RequestError ? error.issues.map(({ message }) => message).join('; ') : 'is invalid'}`,
    );
  }
  return result.output;
}

/** Node does not expose the owners and permissions of Windows. */
const hasOwners = process.platform !== 'win32';
const accessByOthers = 0o077;
/** In a directory with this bit, such as /tmp, only the owner of a file can rename or delete it. */
const sticky = 0o1000;

/** Linux follows at most 40 symbolic links; opening a path with more fails. */
const maxLinks = 40;

/** Users who may own the file, and the directories and links on its path. */
interface TrustedOwners {
  readonly file: number | undefined;
  readonly path: readonly (number | undefined)[];
}

/**
 * The user must own the file. Root accepts a file of any user, with a path of that user: the file may be mounted into a
 * container, or the command run by sudo.
 */
function trustedOwners(path: string): TrustedOwners {
  const user = process.geteuid?.();
  const file = user === 0 ? statSync(path).uid : user;
  return { file, path: [0, user, file] };
}

/** A user who can write to a directory on the path, or who owns a link on it, could replace the file. */
function* pathProblems(path: string, owners: TrustedOwners): Generator<string> {
  if (!hasOwners) return;
  const isTrusted = ({ uid }: Stats) => owners.path.includes(uid);
  for (const { directory, entry } of stepsTo(path)) {
    const stats = statSync(directory);
    if (!isTrusted(stats)) yield `directory ${directory} is owned by another user, who could replace the file`;
    if (isWritableByOthers(stats))
      yield `other users can write to directory ${directory} and could replace the file: run chmod go-w ${directory}`;
    const found = lstatSync(entry);
    if (found.isSymbolicLink() && !isTrusted(found)) yield 'reached through a symbolic link of another user';
  }
}

const writableByGroup = 0o020;
const writableByAll = 0o002;

function isWritableByOthers({ mode, gid }: Stats): boolean {
  if ((mode & sticky) !== 0) return false;
  return (mode & writableByAll) !== 0 || ((mode & writableByGroup) !== 0 && !isPrivateGroup(gid));
}

/**
 * The group that a system creates for one user has the user's own number. Its directories are writable by their group
 * (umask 002).
 */
function isPrivateGroup(gid: number): boolean {
  return gid === process.getegid?.() && gid === process.geteuid?.();
}

/** One step on the path to a file: an entry and its directory. */
interface Step {
  readonly directory: string;
  readonly entry: string;
}

/**
 * Every step from the root to a file by its absolute path, with links followed. For a file in the user's home the steps
 * start there, because the system protects the directories above.
 */
function* stepsTo(path: string): Generator<Step> {
  const home = homeDirectory();
  const realHome = home === undefined ? undefined : realPathOf(home);
  const inside = realHome === undefined ? undefined : pathInside(home ?? '', path);
  let directory = realHome !== undefined && inside !== undefined ? realHome : sep;
  const names = (inside ?? path).split(sep);
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const entry = join(directory, name);
    if (name === '' || name === '.') continue;
    if (name !== '..' && (realHome === undefined || pathInside(entry, realHome) === undefined))
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

/** The path relative to a directory that contains it, or equals it; `undefined` for a path elsewhere. */
function pathInside(directory: string, path: string): string | undefined {
  const inside = relative(directory, path);
  return inside === '..' || inside.startsWith(`..${sep}`) ? undefined : inside;
}
