// The credentials file. It is used only when this user owns it and no other user has access to it: a file that another
// user put in its place has another owner. The checks and the read use one file descriptor. No error message quotes the
// content.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as v from 'valibot';
import { RequestError } from '../errors/index.js';
import { checkBaseUrl } from '../client/index.js';
import { exitCodes, UsageError } from './exit-codes.js';

const fileSchema = v.strictObject({
  baseUrl: v.exactOptional(v.string()),
  apiKey: v.string(),
  apiSecret: v.string(),
});

export type CredentialsFile = v.InferOutput<typeof fileSchema>;

const maxSize = 65_536;

/** The file that is read when no other is named; `undefined` for a user without a home directory. */
export function defaultCredentialsFile(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? join(home, '.config/exchange-rx/credentials.json') : undefined;
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
    return parse(readContent(path, refusal), refusal);
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

function readContent(path: string, refusal: Refusal): Buffer {
  const file = openSync(path, flags);
  const user = process.geteuid?.();
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw refusal('not a regular file');
    if (hasOwners) {
      // Root reads the file of any user: it may be mounted into a container, or the command run by sudo.
      if (user !== 0 && stats.uid !== user) {
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
    if (baseUrl !== undefined) checkBaseUrl(baseUrl);
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
