// Sources of the command's credentials, and their secrecy.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess as run } from '../support/command-in-process.js';
import { folderOfTests } from '../support/folders.js';
import { servedForFile, servedForTest } from '../support/served.js';
import { failed } from './output.js';

const { server, environment } = await servedForFile();
const folder = folderOfTests();

const fileContent = () => {
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

describe('credentials of the command', () => {
  it('are required by private endpoints: a command without them ends with 3', async () => {
    await failed(run(['balance', '--base-url', environment['EXCHANGE_BASE_URL'] ?? '']), 3, 'credentials');
  });

  it('must be complete: a key without its secret ends with 3', async () => {
    const { EXCHANGE_API_SECRET: _, ...half } = environment;
    const problem = /^EXCHANGE_API_SECRET is not set: set both EXCHANGE_API_KEY and EXCHANGE_API_SECRET\n$/;
    await failed(run(['balance'], half), 3, problem);
  });

  it('that the exchange does not accept end with 3, and are not printed', async () => {
    const { code, stderr } = await run(['balance'], { ...environment, EXCHANGE_API_SECRET: 'not-the-secret' });
    expect(code).toBe(3);
    expect(stderr).not.toContain('not-the-secret');
  });

  it('come from a file named by --credentials-file or EXCHANGE_CREDENTIALS_FILE, or from the default file', async () => {
    const path = await fileWith('mine.json', fileContent());
    expect(await run(['balance', '--credentials-file', path])).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['balance'], { EXCHANGE_CREDENTIALS_FILE: path })).toMatchObject({ code: 0, stderr: '' });
    await fileWith('home/.config/exchange-rx/credentials.json', fileContent());
    expect(await run(['balance'], { HOME: join(folder, 'home') })).toMatchObject({ code: 0, stderr: '' });
  });

  it('on the command line take precedence over the environment, and a key goes to the base URL of its file', async () => {
    const { sandbox: other, server: otherServer } = await servedForTest({ seed: 2 });
    const { baseUrl, credentials } = otherServer.clientOptions();
    const path = await fileWith('other.json', JSON.stringify({ baseUrl, ...credentials }));
    const ended = { code: 0, stderr: '' };
    expect(await run(['balance', '--credentials-file', path], environment)).toMatchObject(ended);
    expect(other.ledger.requests).toHaveLength(1);
    // The key of a file is not sent to the base URL of the environment.
    const { EXCHANGE_BASE_URL = '' } = environment;
    expect(await run(['balance'], { EXCHANGE_BASE_URL, EXCHANGE_CREDENTIALS_FILE: path })).toMatchObject(ended);
    expect(other.ledger.requests).toHaveLength(2);
    // The key of the environment takes precedence over a file that is not named on the command line.
    expect(await run(['balance'], { ...environment, EXCHANGE_CREDENTIALS_FILE: path })).toMatchObject(ended);
    expect(other.ledger.requests).toHaveLength(2);
  });

  it('that are empty count as missing', async () => {
    const { EXCHANGE_BASE_URL = '' } = environment;
    const empty = { EXCHANGE_API_KEY: '', EXCHANGE_API_SECRET: '', EXCHANGE_CREDENTIALS_FILE: '' };
    await failed(run(['balance'], { EXCHANGE_BASE_URL, ...empty }), 3, 'credentials');
    const path = await fileWith('empty.json', '{"apiKey":"","apiSecret":"s3cret-of-mine"}');
    const ended = await run(['balance', '--base-url', EXCHANGE_BASE_URL, '--credentials-file', path]);
    expect(ended).toMatchObject({ code: 3, stdout: '' });
  });

  it('in an unsafe or malformed file are rejected, as a named file and as the default file', async () => {
    const path = await fileWith('unsafe/.config/exchange-rx/credentials.json', fileContent(), 0o604);
    const rejected = { code: 3, stdout: '', stderr: `${path}: accessible to other users: run chmod 600 ${path}\n` };
    expect(await run(['ping', '--credentials-file', path])).toEqual(rejected);
    expect(await run(['dashboard', '--port', '0'], { HOME: join(folder, 'unsafe') })).toEqual(rejected);
  });

  it.each([
    ['are not enough: without a base URL the command ends with 2', {}],
    ['are not read from the working directory when there is no home directory', { HOME: '' }],
  ])('%s', async (_, home) => {
    await failed(run(['ping'], home), 2, 'no exchange: set EXCHANGE_BASE_URL');
  });

  it.each(['--api-key', '--api-secret', '--secret'])(
    'cannot be passed as arguments: %s is an unknown option, and its value is not printed',
    async (option) => {
      for (const words of [[option, 's3cret-of-mine'], [`${option}=s3cret=of'mine`]]) {
        const stderr = await failed(run(['balance', ...words], environment), 2, `unknown option '${option}'\n`);
        expect(stderr).not.toMatch(/s3cret|mine/);
      }
    },
  );
});
