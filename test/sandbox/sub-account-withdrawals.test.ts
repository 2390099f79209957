// A sub-account's withdrawal waits in the sandbox until the main account confirms it, or expires.
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { clientOf, sendRaw } from '../contract/setup.js';
import { failureOf } from '../support/failure.js';

const dayMs = 86_400_000;

async function world() {
  const sandbox = createSandbox({ clock: 'manual', history: 0, tickMs: 600_000, volatility: 0, subAccountCount: 10 });
  const main = clientOf(sandbox, undefined, { allowWithdrawals: true });
  const { data } = await firstValueFrom(main.subAccounts.list({ search: 'trading_bot_2' }));
  const id = data[0]?.id ?? '';
  await firstValueFrom(main.subAccounts.transfer({ id, direction: 'main_to_sub', ticker: 'USDT', amount: '100' }));
  const made = await firstValueFrom(main.apiKeys.create({ subAccountId: id, type: 2, title: 'bot' }));
  const credentials = { apiKey: made.apiKey ?? '', apiSecret: made.apiSecret ?? '' };
  const sub = clientOf(sandbox, undefined, { allowWithdrawals: true, credentials });
  const withdrawal = { ticker: 'USDT', network: 'TRC20', address: 'TXaddress', amount: '20' };
  const withdraw = (uniqueId: string) => firstValueFrom(sub.account.withdraw({ ...withdrawal, uniqueId }));
  const unconfirmed = async () => (await firstValueFrom(main.subAccounts.unconfirmedWithdrawals())).data;
  const statuses = async () => {
    const { records } = await firstValueFrom(sub.account.transactionHistory({ transactionMethod: 2, limit: 10 }));
    return records.map(({ uniqueId, status }) => `${uniqueId ?? ''} ${status ?? ''}`);
  };
  const balance = async () => (await firstValueFrom(main.subAccounts.balances({ id, ticker: 'USDT' })))['USDT']?.main;
  return { sandbox, main, sub, id, withdraw, unconfirmed, statuses, balance };
}

it('a withdrawal starts when the main account confirms it, once', async () => {
  const { sandbox, main, id, withdraw, unconfirmed, statuses, balance } = await world();
  await withdraw('w-1');
  sandbox.clock.advance(60_000);
  await withdraw('w-2');
  expect(await statuses()).toEqual(['w-2 5', 'w-1 5']);
  const [newest, oldest] = await unconfirmed();
  expect(newest).toMatchObject({ subAccountId: id, currency: 'USDT', amount: '20' });
  const confirmed = { id: oldest?.id ?? '' };
  await firstValueFrom(main.subAccounts.confirmWithdrawal(confirmed));
  expect(await statuses()).toEqual(['w-2 5', 'w-1 1']);
  const again = clientOf(sandbox, undefined, { allowWithdrawals: true });
  expect(await failureOf(again.subAccounts.confirmWithdrawal(confirmed))).toMatchObject({ status: 422, code: 422 });
  sandbox.clock.advance(30_000);
  expect(await statuses()).toEqual(['w-2 5', 'w-1 7']);
  expect(await unconfirmed()).toHaveLength(1);
  expect(await balance()).toBe('60');
});

it('a withdrawal that is not confirmed expires, and its money is back', async () => {
  const { sandbox, main, id, withdraw, unconfirmed, statuses, balance } = await world();
  await withdraw('w-1');
  await withdraw('w-2');
  const [, first] = await unconfirmed();
  await firstValueFrom(main.subAccounts.confirmWithdrawal({ id: first?.id ?? '' }));
  expect((await firstValueFrom(main.subAccounts.unconfirmedWithdrawals({ subAccountId: 'other' }))).data).toEqual([]);
  sandbox.clock.advance(dayMs);
  expect((await statuses()).map((text) => text.slice(-1)).sort()).toEqual(['4', '7']);
  expect([await unconfirmed(), await balance()]).toEqual([[], '80']);
  expect(await failureOf(main.subAccounts.remove({ id }))).toMatchObject({ status: 400 });
});

it('a sub-account with a withdrawal that waits is not removed, although its balance is empty', async () => {
  const { main, id, sub, withdraw, balance } = await world();
  await withdraw('w-1');
  await firstValueFrom(main.subAccounts.transfer({ id, direction: 'sub_to_main', ticker: 'USDT', amount: '80' }));
  expect(await balance()).toBe('0');
  expect(await failureOf(main.subAccounts.remove({ id }))).toMatchObject({ status: 400 });
  expect(await failureOf(sub.subAccounts.unconfirmedWithdrawals())).toMatchObject({ status: 403 });
});

it.each([
  ['trading_bot_2', 200, { expiresIn: 3600 }],
  ['trading_bot_1', 400, { code: 400, message: 'Sub account shares the KYC of the main account.' }],
  ['trading_bot_10', 400, { code: 400, message: 'Sub account is not active.' }],
])('the page to verify the user of %s is responded to with %d and %j', async (name, status, body) => {
  const { sandbox, main } = await world();
  const { data } = await firstValueFrom(main.subAccounts.list({ search: name }));
  const id = data.find(({ alias }) => alias === name)?.id ?? '';
  expect(await sendRaw({ sandbox }, '/api/v4/sub-account/kyc-url', { id })).toMatchObject({ status, body });
});
