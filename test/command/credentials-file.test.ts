// The credentials file: its owner and its content.
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultCredentialsFile, fileExists, readCredentialsFile } from '../../src/cli/credentials-file.js';
import { exitCodes, UsageError } from '../../src/cli/exit-codes.js';
import { newFolder } from '../recording/folders.js';

const content = { baseUrl: 'https://exchange.example', apiKey: 'k3y-of-mine', apiSecret: 's3cret-of-mine' };
const { baseUrl } = content;
const json = JSON.stringify(content);
const withUser = json.replace('https://', 'https://me:s3cret-of-mine@');
const noObject = 'must be a JSON object with "apiKey", "apiSecret" and optionally "baseUrl"';

const owner = process.geteuid?.() ?? 0;

let folder: string;
let path: string;

beforeEach(async () => {
  folder = newFolder();
  path = join(folder, 'a/b/credentials.json');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
});

const write = (text: string | Buffer = json, to = path) => writeFile(to, text, { mode: 0o600 });

function rejection(): UsageError {
  try {
    readCredentialsFile(path);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('the file was accepted');
}

describe('the credentials file', () => {
  it('is read, with or without a byte order mark', async () => {
    await write();
    expect(readCredentialsFile(path)).toEqual(content);
    await write(`\ufeff${json}`);
    expect(readCredentialsFile(path)).toEqual(content);
  });

  it('is read through symbolic links of its owner', async () => {
    const kept = join(folder, 'kept.json');
    await write(json, kept);
    await symlink('../../kept.json', join(folder, 'a/b/link.json'));
    await symlink('link.json', path);
    expect(readCredentialsFile(path)).toEqual(content);
  });

  it.each<[string, () => unknown, string]>([
    ['is missing', () => undefined, 'file not found'],
    [
      'has a file for a directory',
      () => rm(dirname(path), { recursive: true }).then(() => write(json, dirname(path))),
      'file not found',
    ],
    ['is a directory', () => mkdir(path, { mode: 0o700 }), 'not a regular file'],
    ['is a pipe without a writer', () => execFileSync('mkfifo', ['-m', '600', path]), 'not a regular file'],
    ['is a link to a device', () => symlink('/dev/zero', path), 'not a regular file'],
    ['is a link to itself', () => symlink(path, path), 'too many levels of symbolic links'],
    ['is a dangling link', () => symlink('nothing', path), 'file not found'],
    ['has too long a name', () => (path += 'x'.repeat(300)), 'cannot be read (ENAMETOOLONG)'],
    [
      'is readable by others',
      () => write().then(() => chmod(path, 0o644)),
      'accessible to other users: run chmod 600 ',
    ],
    ['is larger than 64 KiB', () => write(json + ' '.repeat(65_536)), 'larger than 64 KiB'],
    ['is not UTF-8', () => write(Buffer.from(json.replace('k3y', 'kéy'), 'latin1')), 'not UTF-8 text'],
    ['is UTF-16', () => write(Buffer.from(`\ufeff${json}`, 'utf16le')), 'not UTF-8 text'],
    ['is not JSON', () => write(json.slice(1)), noObject],
    ['is empty', () => write(''), 'must be a JSON object with "apiKey"'],
    ['has a baseUrl with a password', () => write(withUser), 'baseUrl must not contain a user name or password'],
    ['has a secret as its baseUrl', () => write(json.replace(baseUrl, 's3cret-of-mine')), 'baseUrl must be a URL'],
  ])('that %s is rejected with exit code 3, and the message quotes none of the content', async (_, make, problem) => {
    await make();
    const { exitCode, message } = rejection();
    expect(exitCode).toBe(exitCodes.credentials);
    expect(message.startsWith(`${path}: `)).toBe(true);
    expect(message).toContain(problem);
    expect(message).not.toMatch(/of-mine|\n/);
  });

  it.runIf(owner === 0)('of any user is read by root, unless other users have access to it', async () => {
    await write();
    await chown(path, 65_534, 65_534);
    expect(readCredentialsFile(path)).toEqual(content);
    await chmod(path, 0o640);
    expect(rejection().message).toContain('accessible to other users');
  });
});

describe('the default credentials file', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is in the home directory', async () => {
    vi.stubEnv('HOME', join(folder, 'a'));
    path = defaultCredentialsFile() ?? '';
    expect(fileExists(path)).toBe(false);
    await mkdir(dirname(path), { recursive: true });
    await write();
    expect([fileExists(path), readCredentialsFile(path)]).toEqual([true, content]);
  });

  it.each(['', '.', 'relative'])('does not exist when HOME is %j', (home) => {
    vi.stubEnv('HOME', home);
    expect(defaultCredentialsFile()).toBeUndefined();
  });

  it('is rejected, not ignored, when it exists and cannot be used', async () => {
    await symlink('nothing', path);
    expect([fileExists(path), rejection().message]).toEqual([true, `${path}: file not found`]);
  });
});
