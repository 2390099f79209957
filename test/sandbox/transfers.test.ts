// Money on its way in the sandbox: it is debited at once, credited later, and never appears or vanishes.
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { clientOf, sendRaw } from '../contract/setup.js';
import { failureOf } from '../support/failure.js';

const balances = { main: { USDT: '100', XLM: '50' }, trade: { USDT: '50' } };

const still = { clock: 'manual', history: 0, tickMs: 60_000, volatility: 0 } as const;

function world(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ ...still, accounts: [{ name: 'main', balances }], ...options });
  const connect = () => clientOf(sandbox, undefined, { allowWithdrawals: true });
  return { sandbox, exchange: connect(), connect };
}

const withdrawal = { ticker: 'USDT', network: 'TRC20', address: 'TXaddress', uniqueId: 'w-1' } as const;

describe('a transfer', () => {
  it.each([
    ['main', 'spot', { main: '60', trade: '90' }, 1],
    ['spot', 'collateral', { main: '100', trade: '10', collateral: '40' }, 2],
  ] as const)('from %s to %s is queued, and listed when it is executed', async (from, to, after, records) => {
    const { sandbox, exchange } = world();
    expect(await firstValueFrom(exchange.account.transfer({ from, to, ticker: 'USDT', amount: '40' }))).toEqual([]);
    expect((await firstValueFrom(exchange.account.transferHistory({ limit: 10 }))).data).toEqual([]);
    sandbox.clock.advance(2000);
    const { main, trade, collateral } = sandbox.ledger.balances();
    expect({ main: main['USDT'], trade: trade['USDT'], collateral: collateral['USDT'] }).toMatchObject(after);
    expect((await firstValueFrom(exchange.account.transferHistory({ limit: 10 }))).data).toHaveLength(records);
  });
});

describe('a withdrawal', () => {
  it.each([
    ['withdraw', '80'],
    ['withdrawExact', '79'],
  ] as const)('by %s of 20 leaves %s, and is done after a while', async (method, left) => {
    const { sandbox, exchange } = world();
    await firstValueFrom(exchange.account[method]({ ...withdrawal, amount: '20' }));
    expect(sandbox.ledger.balances().main['USDT']).toBe(left);
    const statusOf = async () => {
      const withdrawals = { transactionMethod: 2, limit: 10 } as const;
      const { records } = await firstValueFrom(exchange.account.transactionHistory(withdrawals));
      return records.map(({ uniqueId, status }) => [uniqueId, status]);
    };
    expect(await statusOf()).toEqual([['w-1', 1]]);
    sandbox.clock.advance(60_000);
    expect(await statusOf()).toEqual([['w-1', 7]]);
  });

  it('with the same key and the same values is the same withdrawal, also in another program', async () => {
    const { sandbox, exchange, connect } = world();
    await firstValueFrom(exchange.account.withdraw({ ...withdrawal, amount: '20' }));
    expect(await firstValueFrom(connect().account.withdraw({ ...withdrawal, amount: '20' }))).toEqual([]);
    expect(sandbox.ledger.balances().main['USDT']).toBe('80');
  });

  it.each(['withdraw', 'withdrawExact'] as const)('is refused by the assets before %s sends it', async (method) => {
    const { sandbox, exchange } = world();
    const error = await failureOf(exchange.account[method]({ ...withdrawal, amount: '4' }));
    expect(error).toMatchObject({ kind: 'request', outcome: 'not-executed', issues: [{ field: 'amount' }] });
    expect(error.message).toContain('at least 5');
    expect(sandbox.ledger.requests.some(({ path }) => path.includes('/withdraw'))).toBe(false);
  });

  it('is not sent while the assets cannot be read', async () => {
    const { sandbox, exchange } = world();
    sandbox.fault({ kind: 'status', path: '/api/v4/public/assets', times: 20, executed: false });
    const error = await failureOf(exchange.account.withdraw({ ...withdrawal, amount: '20' }, { retry: false }));
    expect(error.outcome).toBe('not-executed');
    expect(sandbox.ledger.requests.some(({ path }) => path.endsWith('/withdraw'))).toBe(false);
  });
});

describe('a deposit', () => {
  it('is credited by its first confirmation, and can leave after its last', async () => {
    const { sandbox, exchange } = world();
    const transactionId = sandbox.account('main').receiveDeposit('USDT', '60', 'TRC20');
    const read = async () => {
      const { records } = await firstValueFrom(exchange.account.transactionHistory({ transactionMethod: 1 }));
      const { assets } = await firstValueFrom(exchange.account.withdrawableBalance());
      const [deposit] = records;
      return [deposit?.transactionId, deposit?.status, sandbox.ledger.balances().main['USDT'], assets?.['USDT']];
    };
    expect(await read()).toEqual([transactionId, 15, '100', '100']);
    sandbox.clock.advance(5000);
    expect(await read()).toEqual([transactionId, 7, '160', '150']);
    const withdraw = (uniqueId: string) =>
      firstValueFrom(exchange.account.withdraw({ ...withdrawal, uniqueId, amount: '151' }));
    await expect(withdraw('w-1')).rejects.toMatchObject({ reason: 'insufficient-balance' });
    const toCollateral = { from: 'main', to: 'collateral', ticker: 'USDT', amount: '151' } as const;
    const refused = { outcome: 'rejected', reason: 'insufficient-balance' };
    expect(await failureOf(exchange.account.transfer(toCollateral))).toMatchObject(refused);
    sandbox.clock.advance(19 * 5000);
    expect(await read()).toEqual([transactionId, 7, '160', '160']);
    await withdraw('w-2');
    expect(sandbox.ledger.balances().main['USDT']).toBe('9');
  });

  it('of an asset with a memo has the memo of its address', async () => {
    const { sandbox, exchange } = world();
    sandbox.account('main').receiveDeposit('XLM', '10');
    const { account } = await firstValueFrom(exchange.account.depositAddress({ ticker: 'XLM' }));
    const { records } = await firstValueFrom(exchange.account.transactionHistory({ ticker: 'XLM' }));
    expect(records).toMatchObject([{ address: account.address, memo: account.memo, network: 'XLM' }]);
  });
});

it('a withdrawal that the exchange cancels gives the money back, once, and never after it was settled', async () => {
  const { sandbox, exchange } = world();
  const account = sandbox.account('main');
  for (const uniqueId of ['w-1', 'w-2'])
    await firstValueFrom(exchange.account.withdraw({ ...withdrawal, uniqueId, amount: '20' }));
  account.cancelWithdrawal('w-1');
  expect(sandbox.ledger.balances().main['USDT']).toBe('80');
  sandbox.clock.advance(30_000);
  for (const uniqueId of ['w-1', 'w-2', 'none'])
    expect(() => {
      account.cancelWithdrawal(uniqueId);
    }).toThrow(`main has no withdrawal "${uniqueId}" that is not settled`);
  const { records } = await firstValueFrom(exchange.account.transactionHistory({ uniqueId: 'w-1' }));
  expect(records.map(({ uniqueId, status }) => [uniqueId, status])).toEqual([['w-1', 4]]);
});

it.each([
  [{ from_balance: 'spot' }, ['spot main']],
  [{ to_balance: 'spot' }, ['main spot']],
  [{ from_balance: 'main', to_balance: 'collateral' }, ['main collateral']],
  [{ from_balance: '' }, ['spot main', 'main collateral', 'main spot']],
])('the transfers of %j are listed, the newest first', async (filter, listed) => {
  const { sandbox, exchange } = world();
  for (const [from, to] of [
    ['main', 'spot'],
    ['main', 'collateral'],
    ['spot', 'main'],
  ] as const) {
    await firstValueFrom(exchange.account.transfer({ from, to, ticker: 'USDT', amount: '1' }));
    sandbox.clock.advance(2000);
  }
  const { body } = await sendRaw({ sandbox }, '/api/v4/main-account/transfer/history', filter);
  const { data } = body as { readonly data: readonly { readonly from_balance: string; readonly to_balance: string }[] };
  expect(data.map(({ from_balance, to_balance }) => `${from_balance} ${to_balance}`)).toEqual(listed);
});

it('an account without USDT has 0 that can leave in a stable coin', async () => {
  const { exchange } = world({ accounts: [{ name: 'main', balances: { main: { BTC: '1' } } }] });
  const balance = await firstValueFrom(exchange.account.withdrawableBalance());
  expect(balance).toMatchObject({ availableBalanceStable: '0', assets: { BTC: '1' } });
});

it('old transfers, deposits and withdrawals are forgotten, and those that are not settled are kept', async () => {
  const { sandbox, exchange } = world({ retentionMs: 20_000 });
  const { account } = exchange;
  const read = async () => [
    (await firstValueFrom(account.transferHistory())).data.length,
    (await firstValueFrom(account.transactionHistory({ limit: 10 }))).records.length,
  ];
  await firstValueFrom(account.transfer({ from: 'main', to: 'spot', ticker: 'USDT', amount: '1' }));
  await firstValueFrom(account.withdraw({ ...withdrawal, amount: '20' }));
  sandbox.account().receiveDeposit('USDT', '10', 'TRC20');
  sandbox.clock.advance(22_000);
  expect(await read()).toEqual([0, 2]);
  sandbox.clock.advance(120_000);
  expect(await read()).toEqual([0, 0]);
});
