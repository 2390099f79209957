// The examples that move money, killed while a request is in flight, against a sandbox on a port that outlives them: what
// the ledger shows was moved once.
import { createExchange } from 'exchange-rx';
import type { LedgerEntry } from 'exchange-rx/sandbox';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, type TestContext } from 'vitest';
import { createProject, kill, until } from '../support/example-programs.js';

const transfer = '/api/v4/main-account/transfer';
const withdraw = '/api/v4/main-account/withdraw';
const summary = '/api/v4/collateral-account/summary';
const subTransfer = '/api/v4/sub-account/transfer';
const subTransferHistory = '/api/v4/sub-account/transfer/history';

const balances = { main: { USDT: '5000' }, trade: { USDT: '10500.75' }, collateral: { USDT: '1500' } };

const project = createProject();

async function setup(context: TestContext) {
  const world = await project.onExchange(context, { accounts: [{ name: 'main', balances }] });
  const { sandbox, journal } = world;
  return {
    ...world,
    hasJournal: () => existsSync(journal),
    debits: (reason: LedgerEntry['reason'], wallet: LedgerEntry['wallet']) =>
      sandbox.ledger.balanceChanges
        .filter((one) => one.account === 'main' && one.reason === reason && one.wallet === wallet)
        .flatMap(({ delta }) => (delta.startsWith('-') ? [delta] : [])),
  };
}

/** An account whose equity is below the floor of top-up-collateral.ts. */
async function setupWithLoss(context: TestContext) {
  const world = await setup(context);
  const exchange = createExchange(world.sandbox.clientOptions());
  await firstValueFrom(exchange.collateral.placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.1' }));
  world.sandbox.market('BTC_USDT').setPrice('55000');
  const { start, requests, debits } = world;
  /** Runs the program until it has read the account twice after its transfer. */
  const topUpOnce = async () => {
    const program = start('top-up-collateral.ts');
    await until(() => debits('transfer', 'main').length > 0);
    const looks = requests(summary);
    await until(() => requests(summary) >= looks + 2);
    await kill(program);
    expect(debits('transfer', 'main')).toHaveLength(1);
  };
  return { ...world, exchange, topUpOnce };
}

const moments = [
  ['was executed', { kind: 'slow', delayMs: 600_000 }],
  ['was lost', { kind: 'hang' }],
] as const;

describe.concurrent.each(moments)('killed by SIGKILL while a request is in flight that %s', (_, fault) => {
  it.for([
    ['transfer', transfer],
    ['withdrawal', withdraw],
  ])('sweep-profits.ts makes its %s once', { timeout: 240_000 }, async ([, path = ''], context) => {
    const { sandbox, start, debits, hasJournal, killAtRequest } = await setup(context);
    sandbox.fault({ ...fault, path });
    await killAtRequest('sweep-profits.ts', path);
    expect(hasJournal()).toBe(true);

    expect(await start('sweep-profits.ts').ended).toMatchObject({ code: 0, stderr: '' });
    expect([debits('transfer', 'trade'), debits('withdrawal', 'main')]).toEqual([['-500'], ['-500']]);
    expect(hasJournal()).toBe(false);
    expect(await start('sweep-profits.ts').ended).toMatchObject({ code: 0, stdout: '' });
  });

  it('pay-out-sub-accounts.ts makes each payment once', { timeout: 240_000 }, async (context) => {
    const { sandbox, start, debits, killAtRequest } = await setup(context);
    sandbox.fault({ kind: 'slow', path: subTransfer, delayMs: 1 });
    sandbox.fault({ ...fault, path: subTransfer });
    await killAtRequest('pay-out-sub-accounts.ts', subTransfer, 2);

    for (const time of ['first', 'second'])
      expect([time, (await start('pay-out-sub-accounts.ts').ended).code]).toEqual([time, 0]);
    expect(debits('sub-account', 'main')).toEqual(['-150.25', '-80', '-42']);
  });

  it('top-up-collateral.ts transfers once what is missing', { timeout: 240_000 }, async (context) => {
    const { sandbox, exchange, topUpOnce, killAtRequest } = await setupWithLoss(context);
    sandbox.fault({ ...fault, path: transfer });
    await killAtRequest('top-up-collateral.ts', transfer);

    await topUpOnce();
    const { equity, margin = '0' } = await firstValueFrom(exchange.collateral.summary());
    expect(Number(equity) / Number(margin)).toBeCloseTo(3, 1);
  });
});

/** Of a program whose clock is a minute ahead. */
const ahead = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent('const now = Date.now; Date.now = () => now() + 60_000;')}`,
};

describe.concurrent('sweep-profits.ts', () => {
  it('finds its transfer although its clock is a minute ahead', { timeout: 120_000 }, async (context) => {
    const { start, debits } = await setup(context);
    expect(await start('sweep-profits.ts', ahead).ended).toMatchObject({ code: 0, stderr: '' });
    expect(debits('withdrawal', 'main')).toEqual(['-500']);
  });

  it('does not take a later transfer for one that was never executed', { timeout: 120_000 }, async (context) => {
    const { sandbox, journal, start, debits, hasJournal } = await setup(context);
    sandbox.account().deposit('USDT', '-500', 'trade');
    const left = { step: 'transfer', uniqueId: 'sweep-1', amount: '500', startedAt: Date.now() / 1000 - 60 };
    writeFileSync(journal, JSON.stringify(left));
    expect(await start('sweep-profits.ts').ended).toMatchObject({ code: 0, stdout: '' });
    expect(hasJournal()).toBe(false);

    const { account } = createExchange(sandbox.clientOptions());
    await firstValueFrom(account.transfer({ from: 'spot', to: 'main', ticker: 'USDT', amount: '500' }));
    expect(await start('sweep-profits.ts').ended).toMatchObject({ code: 0, stdout: '' });
    expect(debits('withdrawal', 'main')).toEqual([]);
  });
});

describe.concurrent('pay-out-sub-accounts.ts', () => {
  it(
    'finds a payment whose request was sent late, and executed after the restart',
    { timeout: 120_000 },
    async (context) => {
      const { sandbox, journal, start, requests, debits } = await setup(context);
      appendFileSync(
        journal,
        `\n${JSON.stringify({ alias: 'trading_bot_1', state: 'paying', at: Date.now() / 1000 - 60 })}`,
      );
      const restarted = start('pay-out-sub-accounts.ts');
      await until(() => requests(subTransferHistory) > 0);
      await sleep(2000);
      const { subAccounts } = createExchange(sandbox.clientOptions());
      const { data } = await firstValueFrom(subAccounts.list({ search: 'trading_bot_1' }));
      const id = data.find(({ alias }) => alias === 'trading_bot_1')?.id ?? '';
      await firstValueFrom(subAccounts.transfer({ id, direction: 'main_to_sub', ticker: 'USDT', amount: '150.25' }));
      expect((await restarted.ended).code).toBe(0);
      expect(debits('sub-account', 'main')).toEqual(['-150.25', '-80', '-42']);
    },
  );

  it('makes each payment once although its clock is a minute ahead', { timeout: 120_000 }, async (context) => {
    const { sandbox, start, debits, killAtRequest } = await setup(context);
    sandbox.fault({ kind: 'slow', path: subTransfer, delayMs: 600_000 });
    await killAtRequest('pay-out-sub-accounts.ts', subTransfer, 1, ahead);
    expect(await start('pay-out-sub-accounts.ts', ahead).ended).toMatchObject({ code: 0, stderr: '' });
    expect(debits('sub-account', 'main')).toEqual(['-150.25', '-80', '-42']);
  });
});

it('top-up-collateral.ts tops up once when its reads are slow', { timeout: 120_000 }, async (context) => {
  const { sandbox, topUpOnce } = await setupWithLoss(context);
  sandbox.fault({ kind: 'slow', path: summary, delayMs: 2500 });
  await topUpOnce();
});
