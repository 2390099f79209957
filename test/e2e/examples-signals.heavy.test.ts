// The examples of recovery and shutdown, ended by real signals, against a sandbox on a port that outlives them.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProject, type Project, type Running } from '../support/example-programs.js';

const stockMarket = '/api/v4/order/stock_market';
const collateralLimit = '/api/v4/order/collateral/limit';

let project: Project;
let sandbox: Sandbox;
let server: SandboxServer;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  project = createProject();
  sandbox = createSandbox({ volatility: 0 });
  server = await sandbox.listen();
  const { baseUrl, credentials } = server.clientOptions();
  env = {
    EXCHANGE_BASE_URL: baseUrl,
    EXCHANGE_API_KEY: credentials.apiKey,
    EXCHANGE_API_SECRET: credentials.apiSecret,
  };
});
afterEach(async () => {
  await server.close();
  project.remove();
});

const start = (file: string) => project.start(file, { env });
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 30_000, interval: 2 });

async function kill(program: Running, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  program.process.kill(signal);
  await program.ended;
}

describe('recover-after-restart.ts, killed by SIGKILL', () => {
  const journalFile = () => join(project.folder, 'orders.jsonl');
  const journal = () => readFileSync(journalFile(), 'utf8');
  const requests = () => sandbox.ledger.requests.filter(({ path }) => path === stockMarket).length;
  const identifiers = () => sandbox.ledger.orders.map(({ client_order_id }) => client_order_id);

  it('finds an order that was executed before its response arrived, and does not place it again', async () => {
    sandbox.fault({ kind: 'slow', path: stockMarket, delayMs: 60_000 });
    const killed = start('recover-after-restart.ts');
    await until(() => sandbox.ledger.orders.length === 1);
    await kill(killed, 'SIGKILL');
    const [first = ''] = identifiers();
    const order = { client_order_id: first, market: 'BTC_USDT', endpoint: 'spot.placeStockMarketOrder' };
    expect(journal()).toBe(`\n${JSON.stringify({ ...order, state: 'placing' })}`);

    const { status, stdout } = await start('recover-after-restart.ts').ended;
    expect(status).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^${first} placed: 0.01 for 60`));
    expect(stdout.match(/ placed: /g)).toHaveLength(4);
    expect(new Set(identifiers()).size).toBe(4);
    expect(requests()).toBe(4);
  });

  it('proves that an order was never executed, and continues', async () => {
    sandbox.fault({ kind: 'slow', path: stockMarket, delayMs: 1 });
    sandbox.fault({ kind: 'hang', path: stockMarket });
    const killed = start('recover-after-restart.ts');
    await until(() => requests() === 2);
    await kill(killed, 'SIGKILL');

    const { status, stdout } = await start('recover-after-restart.ts').ended;
    expect(status).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/^not placed: orders.find: /);
    expect(sandbox.ledger.orders).toHaveLength(4);
  });

  it('places nothing while an order that no lookup finds may exist', async () => {
    sandbox.fault({ kind: 'hang', path: stockMarket });
    const killed = start('recover-after-restart.ts');
    await until(() => requests() === 1);
    await kill(killed, 'SIGKILL');

    const stopped = await start('recover-after-restart.ts').ended;
    expect([stopped.status, stopped.stdout]).toEqual([1, '']);
    expect(stopped.stderr).toMatch(/^stopped: the outcome of an order is unknown/);
    expect(sandbox.ledger.orders).toEqual([]);

    appendFileSync(journalFile(), journal().replace('placing', 'not-placed'));
    expect((await start('recover-after-restart.ts').ended).status).toBe(0);
    expect(sandbox.ledger.orders).toHaveLength(3);
  });

  it('ignores a line of the journal that the crash cut off', async () => {
    appendFileSync(journalFile(), '\n{"client_order_id":"cut","sta');
    expect((await start('recover-after-restart.ts').ended).stdout.match(/ placed: /g)).toHaveLength(3);
    expect((await start('recover-after-restart.ts').ended).stdout.match(/ placed: /g)).toHaveLength(3);
    expect(sandbox.ledger.orders).toHaveLength(6);
  });
});

describe('graceful-shutdown.ts', () => {
  const placed = (count: number) => until(() => sandbox.ledger.orders.length >= count);
  const canceledIn = (stdout: string) => stdout.match(/ canceled\n/g)?.length;
  const statuses = () => [...new Set(sandbox.ledger.orders.map(({ status }) => status))];

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s waits for the order in flight and cancels every order',
    async (signal) => {
      sandbox.fault({ kind: 'slow', path: collateralLimit, delayMs: 1, times: 3 });
      sandbox.fault({ kind: 'slow', path: collateralLimit, delayMs: 3000 });
      const program = start('graceful-shutdown.ts');
      await placed(4);
      program.process.kill(signal);
      const { status, stdout, stderr } = await program.ended;
      expect([status, stderr]).toEqual([0, '']);
      const [before = '', after = ''] = stdout.split('stopping\n');
      expect(before).toMatch(/^(\S+-[012] placed\n){3}/);
      expect(after).toMatch(/^(\S+ placed\n)*\S+-3 placed\n(\S+ canceled\n)+stopped\n$/);
      expect(canceledIn(after)).toBe(sandbox.ledger.orders.length);
      expect(statuses()).toEqual(['CANCELED']);
    },
  );

  it('looks up an order whose response is lost, and cancels it, too', async () => {
    sandbox.fault({ kind: 'slow', path: collateralLimit, delayMs: 1 });
    sandbox.fault({ kind: 'truncated', path: collateralLimit });
    const program = start('graceful-shutdown.ts');
    await placed(2);
    program.process.kill('SIGTERM');
    const { status, stdout } = await program.ended;
    expect(status).toBe(0);
    expect(canceledIn(stdout)).toBe(sandbox.ledger.orders.length);
    expect(statuses()).toEqual(['CANCELED']);
  });

  it('is ended at once by a second signal', async () => {
    sandbox.fault({ kind: 'slow', path: collateralLimit, delayMs: 60_000 });
    const program = start('graceful-shutdown.ts');
    await placed(1);
    program.process.kill('SIGTERM');
    await until(() => program.stdout().includes('stopping'));
    // Sent until the program ends: one that arrives while the handlers are being removed is lost.
    const again = setInterval(() => program.process.kill('SIGTERM'), 100);
    expect((await program.ended).status).toBe('SIGTERM');
    clearInterval(again);
  });
});
