// Where the command's credentials come from, and that they go nowhere else.
import { createSandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { build } from 'esbuild';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandFile, environmentOf, runCommand, type Environment } from '../support/command.js';

let server: SandboxServer;
let environment: Environment;
let folder: string;

beforeAll(async () => {
  server = await createSandbox().listen();
  environment = environmentOf(server);
  folder = await mkdtemp(join(tmpdir(), 'exchange-rx-'));
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const whole = () => {
  const { baseUrl, credentials } = server.clientOptions();
  return JSON.stringify({ baseUrl, ...credentials });
};

async function fileWith(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text, { mode });
  await chmod(path, mode);
  return path;
}

describe('credentials', () => {
  it('are missing: the verb that needs them says so', async () => {
    const { code, stdout, stderr } = await runCommand([
      'balance',
      '--base-url',
      environment['EXCHANGE_BASE_URL'] ?? '',
    ]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('credentials');
  });

  it('are half there', async () => {
    const { EXCHANGE_API_SECRET: _, ...half } = environment;
    const { code, stderr } = await runCommand(['balance'], half);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'EXCHANGE_API_KEY and EXCHANGE_API_SECRET belong together: one of them is missing\n',
    });
  });

  it('are not accepted', async () => {
    const { code, stderr } = await runCommand(['balance'], { ...environment, EXCHANGE_API_SECRET: 'not-the-secret' });
    expect(code).toBe(3);
    expect(stderr).not.toContain('not-the-secret');
  });

  it('come from a file that only you can read: named by an option, by the environment, or where it is looked for', async () => {
    const path = await fileWith('mine.json', whole());
    expect(await runCommand(['balance', '--credentials-file', path])).toMatchObject({ code: 0, stderr: '' });
    expect(await runCommand(['balance'], { EXCHANGE_CREDENTIALS_FILE: path })).toMatchObject({ code: 0, stderr: '' });
    await fileWith('home/.config/exchange-rx/credentials.json', whole());
    expect(await runCommand(['balance'], { HOME: join(folder, 'home') })).toMatchObject({ code: 0, stderr: '' });
  });

  it('of the command line go before the environment, and a key goes to the address beside it', async () => {
    const other = createSandbox({ seed: 2 });
    const otherServer = await other.listen();
    const { baseUrl, credentials } = otherServer.clientOptions();
    const path = await fileWith('other.json', JSON.stringify({ baseUrl, ...credentials }));
    expect(await runCommand(['balance', '--credentials-file', path], environment)).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(other.ledger.requests).toHaveLength(1);
    // The file's key is not sent to the address that the environment names.
    const { EXCHANGE_BASE_URL = '' } = environment;
    expect(await runCommand(['balance'], { EXCHANGE_BASE_URL, EXCHANGE_CREDENTIALS_FILE: path })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(other.ledger.requests).toHaveLength(2);
    // The environment's key goes before a file that is not named on the command line.
    expect(await runCommand(['balance'], { ...environment, EXCHANGE_CREDENTIALS_FILE: path })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(other.ledger.requests).toHaveLength(2);
    await otherServer.close();
  });

  it('that are empty are missing', async () => {
    const { EXCHANGE_BASE_URL = '' } = environment;
    const { code, stderr } = await runCommand(['balance'], {
      EXCHANGE_BASE_URL,
      EXCHANGE_API_KEY: '',
      EXCHANGE_API_SECRET: '',
      EXCHANGE_CREDENTIALS_FILE: '',
    });
    expect(code).toBe(3);
    expect(stderr).toContain('credentials');
    const path = await fileWith('empty.json', '{"apiKey":"","apiSecret":"s3cret-of-mine"}');
    expect(await runCommand(['balance', '--base-url', EXCHANGE_BASE_URL, '--credentials-file', path])).toMatchObject({
      code: 3,
      stdout: '',
    });
  });

  it.each([0o640, 0o604])('in a file of mode %o are not used: others can read it', async (mode) => {
    const path = await fileWith('open.json', whole(), mode);
    const { code, stdout, stderr } = await runCommand(['balance', '--credentials-file', path]);
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: `${path}: others can read it. Make it yours alone: chmod 600 ${path}\n`,
    });
  });

  it.each([
    ['is not JSON', 'apiSecret=s3cret-of-mine'],
    ['lacks a field', '{"apiSecret":"s3cret-of-mine"}'],
    ['has a field too many', '{"apiKey":"k","apiSecret":"s3cret-of-mine","secret":"s3cret-of-mine"}'],
  ])('in a file that %s are refused, without a word of what it holds', async (_, text) => {
    const path = await fileWith('broken.json', text);
    const { code, stdout, stderr } = await runCommand(['balance', '--credentials-file', path]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('must be JSON with "apiKey", "apiSecret"');
    expect(stderr).not.toContain('s3cret-of-mine');
  });

  it.each([
    ['a pipe, to which nobody writes', (path: string) => execFileSync('mkfifo', ['-m', '600', path])],
    ['a link to a device without an end', (path: string) => symlink('/dev/zero', path)],
  ])('in %s, are not waited for, wherever they are looked for', async (_, make) => {
    const home = await mkdtemp(join(folder, 'home-'));
    const path = join(home, '.config/exchange-rx/credentials.json');
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    await make(path);
    const refused = { code: 3, stdout: '', stderr: `${path}: is not a regular file\n` };
    const runs = [
      runCommand(['ping', '--credentials-file', path]),
      runCommand(['dashboard', '--port', '0'], { HOME: home }),
    ];
    expect(await Promise.all(runs)).toEqual([refused, refused]);
  });

  it('are not looked for below the directory that the command is run in, without a home', async () => {
    expect(await runCommand(['ping'], { HOME: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('which exchange?') as string,
    });
  });

  /** Root may look anywhere: another user runs it then, who need not be able to read this checkout. */
  async function runWithoutRoot(words: readonly string[], env: Environment) {
    const isRoot = process.geteuid?.() === 0;
    const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const command = isRoot ? await commandForAll() : commandFile;
    return new Promise<{ code: number; stderr: string }>((end) => {
      execFile(
        process.execPath,
        [command, ...words],
        { env: { PATH: process.env['PATH'], ...env }, ...user },
        (error, _, stderr) => {
          end({ code: error === null ? 0 : Number(error.code), stderr });
        },
      );
    });
  }

  /** The command in one file, where everyone can read it. */
  async function commandForAll(): Promise<string> {
    await chmod(folder, 0o755);
    const outfile = join(folder, 'dist/cli/main.mjs');
    await copyFile(resolve(commandFile, '../../../package.json'), join(folder, 'package.json'));
    const banner = {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    };
    if (!existsSync(outfile))
      await build({ entryPoints: [commandFile], outfile, bundle: true, platform: 'node', format: 'esm', banner });
    return outfile;
  }

  it('are not there when nobody may look: a verb that needs none goes on', async () => {
    const closed = await mkdtemp(join(folder, 'home-'));
    await chmod(closed, 0);
    for (const HOME of [closed, join(closed, 'me')]) {
      expect(await runWithoutRoot(['ping', '--base-url', environment['EXCHANGE_BASE_URL'] ?? ''], { HOME })).toEqual({
        code: 0,
        stderr: '',
      });
      expect(
        await runWithoutRoot(['balance', '--base-url', environment['EXCHANGE_BASE_URL'] ?? ''], { HOME }),
      ).toMatchObject({ code: 3 });
    }
    // One that is named is meant.
    const path = join(closed, 'named.json');
    expect(await runWithoutRoot(['ping', '--credentials-file', path], {})).toEqual({
      code: 3,
      stderr: `${path}: you are not allowed to read it\n`,
    });
  });

  it.runIf(process.geteuid?.() === 0)(
    'in a file of another user are not used: the message says what to do',
    async () => {
      const path = await fileWith('of-root.json', whole(), 0o644);
      const stderr = `${path}: belongs to another user. Make it yours (chown), or set EXCHANGE_API_KEY and EXCHANGE_API_SECRET instead\n`;
      expect(await runWithoutRoot(['ping', '--credentials-file', path], {})).toEqual({ code: 3, stderr });
    },
  );

  it('in a file that is not there', async () => {
    const { code, stderr } = await runCommand(['balance', '--credentials-file', join(folder, 'nowhere.json')]);
    expect(code).toBe(3);
    expect(stderr).toContain('there is no such file');
  });

  it.each(['--api-key', '--api-secret', '--secret'])('are not taken from arguments: there is no %s', async (option) => {
    const { code, stderr } = await runCommand(['balance', option, 's3cret-of-mine'], environment);
    expect(code).toBe(2);
    expect(stderr).toContain(`unknown option '${option}'`);
    const joined = await runCommand(['balance', `${option}=s3cret=of'mine`], environment);
    expect(joined).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`unknown option '${option}'\n`) as string,
    });
    expect(joined.stderr).not.toMatch(/s3cret|mine/);
  });

  it('are not printed by any verb, whether it succeeds or not', async () => {
    const secret = environment['EXCHANGE_API_SECRET'] ?? '';
    const key = environment['EXCHANGE_API_KEY'] ?? '';
    const runs = [
      ['ping'],
      ['balance'],
      ['balance', '--json'],
      ['markets'],
      ['leverage', '5'],
      ['sub-accounts'],
      ['order', 'stock-market', 'BTC_USDT', 'sell', '99999', '--yes'],
    ];
    for (const words of runs) {
      const { stdout, stderr } = await runCommand(words, environment);
      expect(`${stdout}${stderr}`).not.toContain(secret);
      expect(`${stdout}${stderr}`).not.toContain(key);
    }
  }, 60_000);

  it('without an exchange: the command asks which', async () => {
    const { code, stderr } = await runCommand(['ping']);
    expect(code).toBe(2);
    expect(stderr).toContain('EXCHANGE_BASE_URL');
  });
});
