// The file of the credentials: who may have made it, where it may lie, and what it may be.
import { execFileSync } from 'node:child_process';
import { chmod, chown, lchown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultCredentialsFile, isThere, readCredentialsFile } from '../../src/cli/credentials-file.js';
import { exitCodes, UsageError } from '../../src/cli/exit-codes.js';

const content = { baseUrl: 'https://exchange.example', apiKey: 'k3y-of-mine', apiSecret: 's3cret-of-mine' };
const whole = JSON.stringify(content);

const owner = process.geteuid?.() ?? 0;

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-rx-'));
  path = join(folder, 'a/b/credentials.json');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (text: string | Buffer = whole, to = path) => writeFile(to, text, { mode: 0o600 });

function refusal(): UsageError {
  try {
    readCredentialsFile(path);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('a file of credentials', () => {
  it('is read, also with a byte order mark', async () => {
    await write();
    expect(readCredentialsFile(path)).toEqual(content);
    await write(`\ufeff${whole}`);
    expect(readCredentialsFile(path)).toEqual(content);
  });

  it('is read through links of its owner, as those have it who keep their settings elsewhere', async () => {
    const kept = join(folder, 'kept.json');
    await write(whole, kept);
    await symlink('../../kept.json', join(folder, 'a/b/link.json'));
    await symlink('link.json', path);
    expect(readCredentialsFile(path)).toEqual(content);
  });

  it('is read from a directory that all can write to, if only owners can take files away', async () => {
    await write();
    await chmod(dirname(path), 0o1777);
    expect(readCredentialsFile(path)).toEqual(content);
  });

  it.runIf(process.getegid?.() === owner)(
    'is read from directories that the private group of its owner can write to, as umask 002 makes them',
    async () => {
      await write();
      for (const directory of [folder, join(folder, 'a'), dirname(path)]) {
        await chown(directory, owner, owner);
        await chmod(directory, 0o2775);
      }
      expect(readCredentialsFile(path)).toEqual(content);
    },
  );

  const pipe = (to: string) => execFileSync('mkfifo', ['-m', '600', to]);
  it.each<[string, () => unknown, string]>([
    ['is not there', () => undefined, 'there is no such file'],
    [
      'would be below a file',
      async () => {
        await rm(dirname(path), { recursive: true });
        await write(whole, dirname(path));
      },
      'there is no such file',
    ],
    ['is a directory', () => mkdir(path, { mode: 0o700 }), 'is not a regular file'],
    ['is a pipe to which nobody writes', () => pipe(path), 'is not a regular file'],
    [
      'is a link to a pipe',
      async () => {
        pipe(`${path}-itself`);
        await symlink(`${path}-itself`, path);
      },
      'is not a regular file',
    ],
    ['is a link to a device', () => symlink('/dev/zero', path), 'is not a regular file'],
    ['is a link to itself', () => symlink(path, path), 'its symbolic links lead nowhere'],
    ['is a link to nothing', () => symlink('nothing', path), 'there is no such file'],
    [
      'can be read by others',
      async () => {
        await write();
        await chmod(path, 0o644);
      },
      'others can read it. Make it yours alone: chmod 600 ',
    ],
    ['has more than 64 KiB', () => write(whole + ' '.repeat(65_536)), 'has more than 64 KiB'],
    ['is not UTF-8', () => write(Buffer.from(whole.replace('k3y', 'kéy'), 'latin1')), 'must be text in UTF-8'],
    ['is UTF-16', () => write(Buffer.from(`\ufeff${whole}`, 'utf16le')), 'must be text in UTF-8'],
    ['is not JSON', () => write(whole.slice(1)), 'must be JSON with "apiKey", "apiSecret" and, if you like, "baseUrl"'],
    ['is empty', () => write(''), 'must be JSON with "apiKey"'],
    [
      'has an address with a password',
      () => write(whole.replace('https://', 'https://me:s3cret-of-mine@')),
      'its baseUrl must not hold a user name or password',
    ],
    [
      'has a secret for an address',
      () => write(whole.replace('https://exchange.example', 's3cret-of-mine')),
      'its baseUrl must be a URL',
    ],
    [
      'is in a directory that all can write to',
      async () => {
        await write();
        await chmod(dirname(path), 0o707);
      },
      'could replace it: chmod go-w ',
    ],
    [
      'is below a directory that all can write to',
      async () => {
        await write();
        await chmod(join(folder, 'a'), 0o777);
      },
      'could replace it: chmod go-w ',
    ],
    [
      'is in a directory of a link in a directory that all can write to',
      async () => {
        await mkdir(join(folder, 'c'));
        await mkdir(join(folder, 'd'));
        await write(whole, join(folder, 'd/credentials.json'));
        await rm(dirname(path), { recursive: true });
        await symlink('../c/d', dirname(path));
        await symlink('../d', join(folder, 'c/d'));
        await chmod(join(folder, 'c'), 0o777);
      },
      'could replace it: chmod go-w ',
    ],
    [
      'is in a directory that is a link to itself',
      async () => {
        await rm(dirname(path), { recursive: true });
        await symlink('b', dirname(path));
      },
      'its symbolic links lead nowhere',
    ],
    [
      'is a link in a directory that all can write to',
      async () => {
        await write(whole, join(folder, 'c.json'));
        await symlink('../../c.json', path);
        await chmod(dirname(path), 0o777);
      },
      'could replace it',
    ],
  ])('that %s is refused as credentials are, without a word of what it holds', async (_, make, problem) => {
    await make();
    const { exitCode, message } = refusal();
    expect(exitCode).toBe(exitCodes.credentials);
    expect(message.startsWith(`${path}: `)).toBe(true);
    expect(message).toContain(problem);
    expect(message).not.toMatch(/of-mine|\n/);
  });

  const someoneElse = 65_534;
  it.runIf(owner === 0)(
    'is read by root whoever it belongs to, with directories and links of its owner: it is mounted, or the command is run by sudo',
    async () => {
      await write(whole, join(folder, 'a/b/kept.json'));
      await symlink('kept.json', path);
      for (const one of ['a', 'a/b', 'a/b/kept.json']) await chown(join(folder, one), someoneElse, someoneElse);
      await lchown(path, someoneElse, someoneElse);
      expect(readCredentialsFile(path)).toEqual(content);
      await chmod(join(folder, 'a/b/kept.json'), 0o640);
      expect(refusal().message).toContain('others can read it');
    },
  );

  it.runIf(owner === 0).each<[string, () => Promise<unknown>, string]>([
    [
      'is in a directory that another group can write to',
      async () => {
        await write();
        await chown(dirname(path), owner, someoneElse);
        await chmod(dirname(path), 0o770);
      },
      'could replace it: chmod go-w ',
    ],
    [
      'is below a directory that another group can write to',
      async () => {
        await write();
        await chown(join(folder, 'a'), owner, someoneElse);
        await chmod(join(folder, 'a'), 0o770);
      },
      'could replace it: chmod go-w ',
    ],
    [
      'is in a directory of a link of another user',
      async () => {
        await mkdir(join(folder, 'c'), { mode: 0o700 });
        await write(whole, join(folder, 'c/credentials.json'));
        await rm(dirname(path), { recursive: true });
        await symlink('../c', dirname(path));
        await lchown(dirname(path), someoneElse, someoneElse);
      },
      'is reached by a symbolic link of another user',
    ],
    [
      'is in a directory of another user',
      async () => {
        await write();
        await chown(dirname(path), someoneElse, someoneElse);
      },
      'belongs to another user, who could replace it',
    ],
    [
      'is a link of another user',
      async () => {
        await write(whole, join(folder, 'c.json'));
        await symlink('../../c.json', path);
        await lchown(path, someoneElse, someoneElse);
      },
      'is reached by a symbolic link of another user',
    ],
  ])('that %s is refused', async (_, make, problem) => {
    await make();
    expect(refusal()).toMatchObject({
      exitCode: exitCodes.credentials,
      message: expect.stringContaining(problem) as string,
    });
  });
});

describe('where it is looked for', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is below the home, whose own surroundings are not looked at', async () => {
    vi.stubEnv('HOME', join(folder, 'a'));
    path = defaultCredentialsFile() ?? '';
    expect(isThere(path)).toBe(false);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await write();
    await chmod(folder, 0o777);
    expect([isThere(path), readCredentialsFile(path)]).toEqual([true, content]);
  });

  it('is below the home, whose own surroundings are not looked at, also when it is named by a link or ends in a slash', async () => {
    await mkdir(join(folder, 'a/.config/exchange-rx'), { recursive: true, mode: 0o700 });
    await write(whole, join(folder, 'a/.config/exchange-rx/credentials.json'));
    await mkdir(join(folder, 'homes'));
    await symlink('../a', join(folder, 'homes/me'));
    await chmod(folder, 0o777);
    await chmod(join(folder, 'homes'), 0o777);
    for (const home of ['a/', 'homes/me', 'homes/me/', 'homes/../a']) {
      vi.stubEnv('HOME', `${folder}/${home}`);
      path = defaultCredentialsFile() ?? '';
      expect([home, isThere(path), readCredentialsFile(path)]).toEqual([home, true, content]);
    }
  });

  it('is not left by a link without being looked at again', async () => {
    vi.stubEnv('HOME', join(folder, 'a'));
    path = defaultCredentialsFile() ?? '';
    await mkdir(dirname(dirname(path)));
    await mkdir(join(folder, 'elsewhere'));
    await write(whole, join(folder, 'elsewhere/credentials.json'));
    await symlink('../../elsewhere', dirname(path));
    expect(readCredentialsFile(path)).toEqual(content);
    await chmod(join(folder, 'elsewhere'), 0o777);
    expect(refusal().message).toContain('could replace it: chmod go-w ');
  });

  it.each(['', '.', 'relative'])('is nowhere when the home is %j', (home) => {
    vi.stubEnv('HOME', home);
    expect(defaultCredentialsFile()).toBeUndefined();
  });

  it('what cannot be used is there: it is refused, not left out', async () => {
    await symlink('nothing', path);
    expect([isThere(path), refusal().message]).toEqual([true, `${path}: there is no such file`]);
  });
});
