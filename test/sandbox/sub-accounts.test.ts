// Sub-accounts in the sandbox: balances, transfers, API keys that work, and withdrawals that the main account confirms.
import type { Exchange } from 'exchange-rx';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { firstValueFrom, toArray, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { clientOf, sendRaw } from '../contract/setup.js';
import { failureOf } from '../support/failure.js';

const ofSpot = { spotEnabled: true, collateralEnabled: false };
const ofCollateral = { spotEnabled: false, collateralEnabled: true };

async function world(permissions = ofSpot, options: SandboxOptions = {}) {
  const sandbox = createSandbox({ history: 0, ...options });
  const exchange = clientOf(sandbox, undefined, { allowWithdrawals: true });
  const { id } = await firstValueFrom(exchange.subAccounts.create({ alias: 'grid-bot', shareKyc: true, permissions }));
  const move = (direction: 'main_to_sub' | 'sub_to_main', amount: string) =>
    firstValueFrom(exchange.subAccounts.transfer({ id, direction, ticker: 'USDT', amount }));
  const subOf = async () => (await firstValueFrom(exchange.subAccounts.balances({ id, ticker: 'USDT' })))['USDT']?.main;
  const keyed = async (type: 1 | 2 = 1) => {
    const made = await firstValueFrom(exchange.apiKeys.create({ subAccountId: id, type, title: 'bot' }));
    const credentials = { apiKey: made.apiKey ?? '', apiSecret: made.apiSecret ?? '' };
    return { made, client: clientOf(sandbox, undefined, { allowWithdrawals: true, credentials }) };
  };
  return { sandbox, exchange, id, move, subOf, keyed };
}

describe('transfers', () => {
  it('moves the amount from main to sub, where a key reads it, and back, and lists both', async () => {
    const { exchange, id, move, subOf, keyed } = await world();
    const { transactionId } = await move('main_to_sub', '100');
    const { client } = await keyed();
    expect(await firstValueFrom(client.account.mainBalance())).toMatchObject({ USDT: { main_balance: '100' } });
    await move('sub_to_main', '30.5');
    expect(await subOf()).toBe('69.5');
    const listed = await firstValueFrom(exchange.subAccounts.listAllTransfers({ id }).pipe(toArray()));
    const amounts = listed.map(({ direction, amount }) => [direction, amount].join(' '));
    expect(amounts).toEqual(['sub_to_main 30.5', 'main_to_sub 100']);
    expect(listed[1]?.transactionId).toBe(transactionId);
  });
});

describe('accounts and keys', () => {
  it('refuses the keys of a blocked sub-account until it is unblocked', async () => {
    const { exchange, id, keyed } = await world();
    const { client } = await keyed();
    await firstValueFrom(exchange.subAccounts.block({ id }));
    await expect(firstValueFrom(client.account.mainBalance())).rejects.toMatchObject({ status: 401 });
    await firstValueFrom(exchange.subAccounts.unblock({ id }));
    await expect(firstValueFrom(client.account.mainBalance())).resolves.toEqual({});
  });

  it('refuses to remove a sub-account that has money', async () => {
    const { exchange, id, move } = await world();
    await move('main_to_sub', '1');
    await expect(firstValueFrom(exchange.subAccounts.remove({ id }))).rejects.toMatchObject({ status: 400 });
    await move('sub_to_main', '1');
    await firstValueFrom(exchange.subAccounts.remove({ id }));
    await expect(firstValueFrom(exchange.subAccounts.balances({ id }))).rejects.toMatchObject({ status: 400 });
  });

  it('shows the secret neither in lists nor in the ledger', async () => {
    const { sandbox, exchange, keyed } = await world();
    const { made } = await keyed();
    const { data } = await firstValueFrom(exchange.apiKeys.list());
    expect(data.map(({ id, apiSecret }) => [id, apiSecret])).toEqual([[made.id, '']]);
    expect(JSON.stringify(sandbox.ledger)).not.toContain(made.apiSecret);
  });
});

describe('lists and settings', () => {
  it('finds sub-accounts by alias and email, and shows every balance of one', async () => {
    const { exchange, id, move } = await world();
    await move('main_to_sub', '10');
    const scalper = { alias: 'scalper', email: 'ada@example.org', permissions: ofSpot };
    await firstValueFrom(exchange.subAccounts.create(scalper));
    const found = async (search: string) =>
      (await firstValueFrom(exchange.subAccounts.list({ search }))).data.map(({ alias, email }) => [alias, email]);
    expect(await found('SCALP')).toEqual([['scalper', 'a***@example.org']]);
    expect(await found('@example.org')).toEqual([['scalper', 'a***@example.org']]);
    expect(await found('grid')).toEqual([['grid-bot', '']]);
    const output = await firstValueFrom(exchange.subAccounts.balances({ id }));
    expect(output).toEqual({ USDT: { main: '10', spot: '0', collateral: '0' } });
  });

  it('renames a sub-account, and lists its transfers of one direction', async () => {
    const { exchange, id, move } = await world();
    const { subAccounts } = exchange;
    await firstValueFrom(subAccounts.edit({ id, alias: 'grid-bot', permissions: ofSpot }));
    await firstValueFrom(subAccounts.edit({ id, alias: 'grid-bot-2', permissions: ofSpot }));
    const renamed = await firstValueFrom(subAccounts.list({ search: 'grid-bot-2' }));
    expect(renamed.data).toMatchObject([{ permissions: ofSpot }]);
    await move('main_to_sub', '10');
    await move('sub_to_main', '1');
    const { data } = await firstValueFrom(subAccounts.transferHistory({ id, direction: 'sub_to_main' }));
    expect(data.map(({ amount }) => amount)).toEqual(['1']);
  });

  it('keeps the money of a transfer that is queued in the sub-account that is to be removed', async () => {
    const { sandbox, exchange, id, move, keyed } = await world();
    await move('main_to_sub', '1');
    const { client } = await keyed();
    await firstValueFrom(client.account.transfer({ from: 'main', to: 'spot', ticker: 'USDT', amount: '1' }));
    await expect(firstValueFrom(exchange.subAccounts.remove({ id }))).rejects.toMatchObject({ status: 400 });
    expect(sandbox.ledger.balances('main').main['USDT']).toBe('24999.75');
  });

  it('removes the keys of a removed sub-account, and of no other', async () => {
    const { exchange, id, keyed } = await world();
    const { client } = await keyed();
    const { data } = await firstValueFrom(exchange.subAccounts.list({ search: 'trading_bot_1' }));
    const ofOther = { subAccountId: data[0]?.id ?? '', type: 2, title: 'other' } as const;
    const other = await firstValueFrom(exchange.apiKeys.create(ofOther));
    await firstValueFrom(exchange.subAccounts.block({ id }));
    expect((await firstValueFrom(exchange.apiKeys.list())).data).toMatchObject([
      { isEnabled: true },
      { isEnabled: false },
    ]);
    await firstValueFrom(exchange.subAccounts.remove({ id }));
    await expect(firstValueFrom(client.account.mainBalance())).rejects.toMatchObject({ status: 401 });
    expect((await firstValueFrom(exchange.apiKeys.list())).data.map((key) => key.id)).toEqual([other.id]);
  });

  it('forgets old transfers', async () => {
    const { sandbox, exchange, id, move } = await world(ofSpot, { clock: 'manual', retentionMs: 60_000 });
    await move('main_to_sub', '1');
    sandbox.clock.advance(120_001);
    expect((await firstValueFrom(exchange.subAccounts.transferHistory({ id }))).data).toEqual([]);
  });
});

describe('the allowlist and the number of keys', () => {
  it('holds an address once, and at most 50', async () => {
    const { exchange, keyed } = await world();
    const { made } = await keyed();
    const { apiKeys } = exchange;
    const apiKeyId = made.id;
    const ipOf = (index: number) => `10.0.0.${index}`;
    for (let index = 0; index < 50; index += 1) await firstValueFrom(apiKeys.addIp({ apiKeyId, ip: ipOf(index) }));
    await expect(firstValueFrom(apiKeys.addIp({ apiKeyId, ip: ipOf(0) }))).rejects.toMatchObject({ code: 5 });
    await expect(firstValueFrom(apiKeys.addIp({ apiKeyId, ip: ipOf(50) }))).rejects.toMatchObject({ code: 5 });
    expect(await firstValueFrom(apiKeys.removeIp({ apiKeyId, ip: ipOf(0) }))).toMatchObject({ data: { length: 49 } });
    await expect(firstValueFrom(apiKeys.removeIp({ apiKeyId, ip: ipOf(0) }))).rejects.toMatchObject({ code: 5 });
    expect(await firstValueFrom(apiKeys.listIps({ apiKeyId }))).toMatchObject({ data: { length: 49 } });
  });

  it('gives at most 50 keys, and removes one', async () => {
    const { exchange, id, keyed } = await world();
    const { made } = await keyed();
    const create = () => firstValueFrom(exchange.apiKeys.create({ subAccountId: id, type: 1, title: 'bot' }));
    for (let index = 1; index < 50; index += 1) await create();
    await expect(create()).rejects.toMatchObject({ code: 5 });
    await firstValueFrom(exchange.apiKeys.remove({ apiKeyId: made.id }));
    await create();
    const { data } = await firstValueFrom(exchange.apiKeys.list({ subAccountId: id, limit: 100 }));
    expect(data).toHaveLength(50);
  });

  it('lets an edited key call the paths that are enabled, and no other', async () => {
    const { sandbox, exchange, keyed } = await world();
    const { made, client } = await keyed();
    const urls = [
      { url: '/api/v4/main-account/balance', enable: true },
      { url: '/api/v4/trade-account/balance', enable: false },
    ];
    const edited = { apiKeyId: made.id, title: 'reader', urls };
    await firstValueFrom(exchange.apiKeys.edit(edited));
    expect(await firstValueFrom(client.account.mainBalance())).toEqual({});
    await expect(firstValueFrom(client.spot.balance())).rejects.toMatchObject({ status: 401, code: 4 });
    const editRaw = (given: unknown) =>
      sendRaw({ sandbox }, '/api/v4/sub-account/api-key/edit', { ...edited, urls: given });
    const errors = { urls: expect.anything() as unknown };
    expect(await editRaw('all')).toMatchObject({ status: 400, body: { errors } });
    expect(await editRaw([null])).toMatchObject({ status: 200 });
    await expect(firstValueFrom(client.account.mainBalance())).rejects.toMatchObject({ status: 401, code: 4 });
  });
});

describe('what a key of a sub-account may do', () => {
  const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '1000' } as const;
  const withdrawal = { ticker: 'USDT', network: 'TRC20', address: 'TX', amount: '20', uniqueId: 'w' } as const;
  const uses = {
    read: ({ account }: Exchange) => account.mainBalance(),
    spot: ({ spot }: Exchange) => spot.placeLimitOrder(order),
    collateral: ({ collateral }: Exchange) => collateral.placeLimitOrder(order),
    withdraw: ({ account }: Exchange) => account.withdraw(withdrawal),
    list: ({ subAccounts }: Exchange) => subAccounts.list(),
    address: ({ account }: Exchange) => account.depositAddress({ ticker: 'USDT', network: 'TRC20' }),
  };

  it.each([
    ['a key to trade', 'withdraw', 1, ofSpot, [], 401],
    ['a key to trade', 'address', 1, ofSpot, [], 401],
    ['a key to withdraw without money', 'withdraw', 2, ofSpot, [], 422],
    ['a key to withdraw', 'address', 2, ofSpot, [], 'done'],
    ['a sub-account', 'list', 1, ofSpot, [], 403],
    ['a sub-account for spot without money', 'spot', 1, ofSpot, [], 400],
    ['a sub-account for spot', 'collateral', 1, ofSpot, [], 403],
    ['a sub-account for collateral', 'spot', 1, ofCollateral, [], 403],
    ['a sub-account for collateral without money', 'collateral', 1, ofCollateral, [], 422],
    ['a key for another address', 'read', 1, ofSpot, ['10.0.0.1'], 401],
    ['a key for this machine', 'read', 1, ofSpot, ['10.0.0.1', '127.0.0.1'], 'done'],
  ] as const)('%s: %s is done or refused', async (_, use, type, permissions, ips, result) => {
    const { exchange, keyed } = await world(permissions);
    const { made, client } = await keyed(type);
    for (const ip of ips) await firstValueFrom(exchange.apiKeys.addIp({ apiKeyId: made.id, ip }));
    const called: Observable<unknown> = uses[use](client);
    const seen = await firstValueFrom(called).then(
      () => 'done',
      (error: unknown) => (error instanceof Error && 'status' in error ? error.status : error),
    );
    expect(seen).toBe(result);
  });

  it('a sub-account that gets a permission may use it at once', async () => {
    const { exchange, id, keyed } = await world();
    const { client } = await keyed();
    const read = () => firstValueFrom(client.collateral.hedgeMode());
    await expect(read()).rejects.toMatchObject({ status: 403 });
    await firstValueFrom(exchange.subAccounts.edit({ id, alias: 'grid-bot', permissions: ofCollateral }));
    expect(await read()).toEqual({ hedgeMode: false });
  });
});

/** The account with a sub-account that has 100 USDT, and a key that may withdraw them. */
async function withdrawing() {
  const options: SandboxOptions = { clock: 'manual', tickMs: 600_000, volatility: 0, subAccountCount: 10 };
  const { sandbox, exchange: main, id, move, subOf: balance, keyed } = await world(ofSpot, options);
  await move('main_to_sub', '100');
  const { client: sub } = await keyed(2);
  const withdrawal = { ticker: 'USDT', network: 'TRC20', address: 'TXaddress', amount: '20' };
  const withdraw = (uniqueId: string) => firstValueFrom(sub.account.withdraw({ ...withdrawal, uniqueId }));
  const unconfirmed = async () => (await firstValueFrom(main.subAccounts.unconfirmedWithdrawals())).data;
  const statuses = async () => {
    const { records } = await firstValueFrom(sub.account.transactionHistory({ transactionMethod: 2, limit: 10 }));
    return records.map(({ uniqueId, status }) => `${uniqueId ?? ''} ${status ?? ''}`);
  };
  return { sandbox, main, sub, id, move, withdraw, unconfirmed, statuses, balance };
}

it('a withdrawal starts when the main account confirms it, once', async () => {
  const { sandbox, main, id, withdraw, unconfirmed, statuses, balance } = await withdrawing();
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
  const { sandbox, main, id, withdraw, unconfirmed, statuses, balance } = await withdrawing();
  await withdraw('w-1');
  await withdraw('w-2');
  const [, first] = await unconfirmed();
  await firstValueFrom(main.subAccounts.confirmWithdrawal({ id: first?.id ?? '' }));
  expect((await firstValueFrom(main.subAccounts.unconfirmedWithdrawals({ subAccountId: 'other' }))).data).toEqual([]);
  sandbox.clock.advance(86_400_000);
  expect((await statuses()).map((text) => text.slice(-1)).sort()).toEqual(['4', '7']);
  expect([await unconfirmed(), await balance()]).toEqual([[], '80']);
  expect(await failureOf(main.subAccounts.remove({ id }))).toMatchObject({ status: 400 });
});

it('a sub-account with a withdrawal that waits is not removed, although its balance is empty', async () => {
  const { main, id, sub, move, withdraw, balance } = await withdrawing();
  await withdraw('w-1');
  await move('sub_to_main', '80');
  expect(await balance()).toBe('0');
  expect(await failureOf(main.subAccounts.remove({ id }))).toMatchObject({ status: 400 });
  expect(await failureOf(sub.subAccounts.unconfirmedWithdrawals())).toMatchObject({ status: 403 });
});

it.each([
  ['trading_bot_2', 200, { expiresIn: 3600 }],
  ['trading_bot_1', 400, { code: 400, message: 'Sub account shares the KYC of the main account.' }],
  ['trading_bot_10', 400, { code: 400, message: 'Sub account is not active.' }],
])('the page to verify the user of %s is responded to with %d and %j', async (name, status, body) => {
  const { sandbox, main } = await withdrawing();
  const { data } = await firstValueFrom(main.subAccounts.list({ search: name }));
  const id = data.find(({ alias }) => alias === name)?.id ?? '';
  expect(await sendRaw({ sandbox }, '/api/v4/sub-account/kyc-url', { id })).toMatchObject({ status, body });
});
