// `exchange-rx sandbox`: the embedded exchange on a port, with fault plans.
import { createExchange, type Exchange } from 'exchange-rx';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { openSandbox } from '../../src/cli/client-options.js';
import { sendRaw } from '../contract/setup.js';
import type { RunningCommand } from '../support/command.js';
import { runInProcess as run, startInProcess as start } from '../support/command-in-process.js';
import { textOf } from '../support/documents.js';
import { failureOf } from '../support/failure.js';
import { folderOfTests } from '../support/folders.js';
import { portOf } from '../support/raw-server.js';
import { collected } from '../support/watch.js';
import { failed, interrupted } from './output.js';

const folder = folderOfTests();

async function firstOutput(command: RunningCommand) {
  const text = await command.wrote(/^\{.*\}$/m);
  return JSON.parse(text) as { readonly baseUrl: string; readonly apiKey: string; readonly apiSecret: string };
}

async function clientOf(command: RunningCommand): Promise<Exchange> {
  const { baseUrl, apiKey, apiSecret } = await firstOutput(command);
  return createExchange({ baseUrl, credentials: { apiKey, apiSecret } });
}

async function planFile(plan: unknown): Promise<string> {
  const path = join(folder, 'plan.json');
  await writeFile(path, typeof plan === 'string' ? plan : JSON.stringify(plan));
  return path;
}

describe('exchange-rx sandbox', () => {
  it('serves the exchange on a port, prints its base URL and key, and stops on Ctrl-C', async () => {
    const command = start(['sandbox', '--json']);
    const exchange = await clientOf(command);
    expect(await firstValueFrom(exchange.account.mainBalance())).toMatchObject({ BTC: { main_balance: '2.5' } });
    await interrupted(command);
    expect(await failureOf(exchange.public.ping({ retry: false }))).toMatchObject({
      kind: 'transport',
      outcome: 'not-executed',
    });
  });

  it('prints export lines for a shell', async () => {
    const command = start(['sandbox', '--seed', '7']);
    await command.wrote(
      /export EXCHANGE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nexport EXCHANGE_API_KEY=\S+\nexport EXCHANGE_API_SECRET=\S+\n/,
    );
    await interrupted(command);
  });

  it('injects the faults of a plan', async () => {
    const faults = [{ kind: 'status', path: '/api/v4/public/ping', status: 503, times: 1 }];
    const randomFaults = { seed: 1, rate: 1, kinds: ['empty'], paths: ['/api/v4/public/time'] };
    const command = start(['sandbox', '--json', '--faults', await planFile({ faults, randomFaults })]);
    const exchange = await clientOf(command);
    expect(await failureOf(exchange.public.ping({ retry: false }))).toMatchObject({ kind: 'unavailable' });
    expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
    expect(await failureOf(exchange.public.serverTime({ retry: false }))).toMatchObject({ kind: 'response' });
    await interrupted(command);
  });

  it('injects the faults of a plan into the live connection', async () => {
    const randomLiveFaults = { share: 1, kinds: ['refuse-request'] };
    const plan = { liveFaults: [{ kind: 'status', status: 500, times: 1 }], randomLiveFaults };
    const command = start(['sandbox', '--json', '--faults', await planFile(plan)]);
    const exchange = await clientOf(command);
    const { my } = exchange.live;
    const reasons = collected(my.state$, (state) => (state.status === 'waiting' ? state.reason : state.status));
    const balances = my.balances().subscribe();
    await expect.poll(() => reasons).toContain('unauthorized');
    balances.unsubscribe();
    const expected = ['idle', 'connecting', 'refused', 'connecting', 'authorizing', 'unauthorized'];
    expect(reasons.slice(0, expected.length)).toEqual(expected);
    await interrupted(command);
  });

  it('accepts the fault plan of docs/command.md', async () => {
    const [, plan] = /plan\.json\n```\n\n```json\n([^]*?)```/.exec(textOf('docs/command.md')) ?? [];
    const command = start(['sandbox', '--json', '--faults', await planFile(plan ?? '')]);
    await command.wrote('baseUrl');
    await interrupted(command);
  });

  it.each([
    ['that is not JSON', 'faults', 'must be JSON'],
    ['with an unknown kind', { faults: [{ kind: 'fire' }] }, 'faults.0.kind "fire" must be one of status, refuse'],
    ['with a market that is not listed', { liveFaults: [{ kind: 'cut', market: 'X_Y' }] }, 'X_Y'],
  ])('rejects a plan %s and names the problem', async (_, plan, message) => {
    await failed(run(['sandbox', '--faults', await planFile(plan)]), 2, message);
  });

  it('allows web pages of the origins of --allow-origin only', async () => {
    const command = start(['sandbox', '--json', '--allow-origin', 'http://localhost:5173', 'https://page.example']);
    const { baseUrl } = await firstOutput(command);
    const statuses = ['http://localhost:5173', 'https://page.example', 'http://localhost:5174'].map(
      async (origin) => (await fetch(`${baseUrl}/api/v4/public/ping`, { headers: { origin } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
    await interrupted(command);
  });

  it('ends with 1 when the port is in use, and with 2 when the plan cannot be read', async () => {
    await failed(run(['sandbox', '--port', String(await portOf(createServer()))]), 1, 'EADDRINUSE');
    await failed(run(['sandbox', '--faults', join(folder, 'nowhere.json')]), 2, 'cannot be read');
  });
});

it('keeps an ended order for at least one hour and at most two', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const sandbox = openSandbox();
    const buy = () =>
      sendRaw({ sandbox }, '/api/v4/order/stock_market', { market: 'BTC_USDT', side: 'buy', amount: '0.01' });
    await buy();
    const [first] = sandbox.ledger.orders;
    vi.setSystemTime(Date.now() + 3_600_000);
    await buy();
    expect(sandbox.ledger.orders).toContainEqual(first);
    vi.setSystemTime(Date.now() + 3_600_000);
    await buy();
    expect(sandbox.ledger.orders).not.toContainEqual(first);
  } finally {
    vi.useRealTimers();
  }
});
