// The verbs that serve until Ctrl-C: `sandbox`, and `dashboard` as a process.
import { createExchange, type Exchange } from 'exchange-rx';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, startCommand, type RunningCommand } from '../support/command.js';
import { failureOf } from '../support/failure.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-rx-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a verb that serves says first, with `--json`. */
async function served<Said>(command: RunningCommand): Promise<Said> {
  return JSON.parse(await command.wrote(/^\{.*\}$/m)) as Said;
}

async function clientOf(command: RunningCommand): Promise<Exchange> {
  const { baseUrl, apiKey, apiSecret } = await served<{ baseUrl: string; apiKey: string; apiSecret: string }>(command);
  return createExchange({ baseUrl, credentials: { apiKey, apiSecret } });
}

async function planOf(plan: unknown): Promise<string> {
  const path = join(folder, 'plan.json');
  await writeFile(path, typeof plan === 'string' ? plan : JSON.stringify(plan));
  return path;
}

async function ended(command: RunningCommand): Promise<void> {
  command.interrupt();
  expect(await command.ended).toMatchObject({ code: 130, stderr: '' });
}

describe('exchange-rx sandbox', () => {
  it('serves the exchange on a port, tells its address and key, and ends on Ctrl-C', async () => {
    const command = startCommand(['sandbox', '--json']);
    const exchange = await clientOf(command);
    expect(await firstValueFrom(exchange.account.mainBalance())).toMatchObject({ BTC: { main_balance: '2.5' } });
    await ended(command);
    expect(await failureOf(exchange.public.ping({ retry: false }))).toMatchObject({
      kind: 'transport',
      outcome: 'not-executed',
    });
  });

  it('says it to people as lines for their shell', async () => {
    const command = startCommand(['sandbox', '--seed', '7', '--dialect', 'spec']);
    await command.wrote(
      /export EXCHANGE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nexport EXCHANGE_API_KEY=\S+\nexport EXCHANGE_API_SECRET=\S+\n/,
    );
    await ended(command);
  });

  it('meets its clients with the faults of a plan', async () => {
    const faults = [{ kind: 'status', path: '/api/v4/public/ping', status: 503, times: 1 }];
    const command = startCommand([
      'sandbox',
      '--json',
      '--faults',
      await planOf({ faults, atRandom: { seed: 1, rate: 1, kinds: ['empty'], paths: ['/api/v4/public/time'] } }),
    ]);
    const exchange = await clientOf(command);
    expect(await failureOf(exchange.public.ping({ retry: false }))).toMatchObject({ kind: 'unavailable' });
    expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
    expect(await failureOf(exchange.public.serverTime({ retry: false }))).toMatchObject({
      kind: 'response',
    });
    await ended(command);
  });

  it('takes the plan of docs/command.md', async () => {
    const [, plan] =
      /```json\n([^]*?)```/.exec(readFileSync(resolve(import.meta.dirname, '../../docs/command.md'), 'utf8')) ?? [];
    const command = startCommand(['sandbox', '--json', '--faults', await planOf(plan ?? '')]);
    await command.wrote('baseUrl');
    await ended(command);
  });

  it.each([
    ['that is not JSON', 'faults', 'must be JSON'],
    ['that is a list', [], 'the plan: must be an object'],
    ['of a kind that there is not', { faults: [{ kind: 'fire' }] }, 'faults.0.kind: must be one of status, refuse'],
    [
      'with a status that has no body',
      { faults: [{ kind: 'status', status: 304 }] },
      'faults.0.status: must be one that has a body',
    ],
    ['with a rate above 1', { atRandom: { seed: 1, rate: 7 } }, 'atRandom.rate: must be from 0 to 1'],
    ['with a word too many', { fault: [] }, 'fault'],
  ])('refuses a plan %s and says what is wrong with it', async (_, plan, message) => {
    const { code, stdout, stderr } = await runCommand(['sandbox', '--faults', await planOf(plan)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('answers web pages of the origins that are named, and no other', async () => {
    const command = startCommand([
      'sandbox',
      '--json',
      '--allow-origin',
      'http://localhost:5173',
      'https://page.example',
    ]);
    const { baseUrl } = await served<{ baseUrl: string }>(command);
    const statuses = ['http://localhost:5173', 'https://page.example', 'http://localhost:5174'].map(
      async (origin) => (await fetch(`${baseUrl}/api/v4/public/ping`, { headers: { origin } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
    await ended(command);
    expect(await runCommand(['sandbox', '--allow-origin', 'localhost:5173'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('such as http://localhost:5173.') as string,
    });
  });

  it('says so when the port is taken, or the plan is not there', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const taken = await runCommand(['sandbox', '--port', port]);
    other.close();
    expect(taken).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('EADDRINUSE') as string });
    expect(await runCommand(['sandbox', '--faults', join(folder, 'nowhere.json')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be read') as string,
    });
  });
});

describe('exchange-rx dashboard', () => {
  it('without an exchange shows the embedded one, and ends on Ctrl-C', async () => {
    const command = startCommand(['dashboard', '--port', '0', '--json']);
    const { url, sandbox } = await served<{ url: string; sandbox: boolean }>(command);
    expect([sandbox, new URL(url).hostname]).toEqual([true, '127.0.0.1']);
    expect(await (await fetch(url)).text()).toContain('<title>');
    expect((await fetch(new URL('/', url))).status).toBe(403);
    await ended(command);
  });
});
