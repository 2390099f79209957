// What the sandbox keeps of the mining pool.
import type { mining as miningGroup } from 'exchange-rx/endpoints';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf, sendRaw } from '../contract/setup.js';

const account = 'my_miner_01';
const link: miningGroup.CreateWatcherLinkParams = {
  ...{ accounts: [account], name: 'family' },
  ...{ permissions: ['dashboard'], liveUntil: '1h' },
};

function pool(options: SandboxOptions = {}) {
  const sandbox = createSandbox({
    ...{ clock: 'manual', history: 0, tickMs: 60_000, volatility: 0 },
    ...{ accounts: [{ name: 'main' }, { name: 'other' }], ...options },
  });
  const { mining } = clientOf(sandbox, undefined, { allowWithdrawals: true });
  onTestFinished(() => sandbox.close());
  return { sandbox, mining };
}

it('pays to the main balance until its income is redirected', async () => {
  const { mining } = pool();
  const read = () => firstValueFrom(mining.payoutDestination({ accountName: account }));
  expect(await read()).toMatchObject({ payoutDestination: 'main_balance' });
  const external = { accountName: account, destination: 'external_address', address: 'bc1qexample' } as const;
  await firstValueFrom(mining.setPayoutDestination(external));
  expect(await read()).toMatchObject({ payoutDestination: 'external_address', externalAddress: 'bc1qexample' });
  await firstValueFrom(mining.setPayoutDestination({ accountName: account, destination: 'main_balance' }));
  expect(await read()).toEqual({ payoutDestination: 'main_balance' });
});

it('has at most three active watcher links of an account', async () => {
  const { mining, sandbox } = pool();
  for (const liveUntil of ['1h', '1h', 'always'] as const)
    await firstValueFrom(mining.createWatcherLink({ ...link, liveUntil }));
  await expect(firstValueFrom(mining.createWatcherLink(link))).rejects.toMatchObject({ outcome: 'rejected' });
  expect(await firstValueFrom(mining.listWatcherLinks({ account }))).toHaveLength(3);
  sandbox.clock.advance(3_600_000);
  expect(await firstValueFrom(mining.listWatcherLinks({ account }))).toHaveLength(1);
});

it('creates one watcher link when the response is lost, with the outcome unknown', async () => {
  const { mining, sandbox } = pool();
  sandbox.fault({ kind: 'status', path: '/api/v4/mining/watcher-links/create', executed: true });
  await expect(firstValueFrom(mining.createWatcherLink(link))).rejects.toMatchObject({ outcome: 'unknown' });
  expect(await firstValueFrom(mining.listWatcherLinks({ account }))).toHaveLength(1);
});

const dayMs = 86_400_000;
const seconds = (at: number) => at / 1000;

it('pays each day for the work of the day to the main balance, or to the address', async () => {
  const { sandbox, mining } = pool();
  const balance = () => sandbox.ledger.balances().main['BTC'];
  const start = sandbox.clock.now();
  sandbox.account().connectWorker(account, 's19-1', '100');
  sandbox.clock.advance(dayMs / 2);
  sandbox.account().connectWorker(account, 's19-1', '300');
  sandbox.clock.advance(dayMs / 2 - 1);
  expect(balance()).toBe('2.5');
  sandbox.clock.advance(1);
  expect(balance()).toBe('2.500099');
  const external = { accountName: account, destination: 'external_address', address: 'bc1qexample' } as const;
  await firstValueFrom(mining.setPayoutDestination(external));
  sandbox.account().connectWorker(account, 's19-1', '0');
  sandbox.account().connectWorker(account, 's19-2', '10');
  sandbox.clock.advance(dayMs);
  expect(balance()).toBe('2.500099');
  const { data } = await firstValueFrom(mining.rewards({ account }));
  expect(data).toMatchObject([
    {
      ...{ date: seconds(start + dayMs), payoutTime: seconds(start + 2 * dayMs) },
      ...{ payoutAddress: 'bc1qexample', reward: '0.00000495' },
    },
    {
      ...{ date: seconds(start), miningAccountName: account, status: 'successful', hashRate: '200000000000000' },
      ...{ totalReward: '0.0001', reward: '0.000099', fee: '0.000001', payoutDestination: 'main_balance' },
    },
  ]);
  expect((await firstValueFrom(mining.rewards({ to: seconds(start) }))).data).toHaveLength(1);
  expect((await firstValueFrom(mining.rewards({ account: 'nobody' }))).data).toEqual([]);
  sandbox.account().connectWorker(account, 's19-2', '0');
  sandbox.clock.advance(2 * dayMs);
  expect((await firstValueFrom(mining.rewards())).data).toHaveLength(2);
});

it('shows the workers, and the mean hash rate of an account and of a worker by intervals', async () => {
  const { sandbox, mining } = pool();
  const start = sandbox.clock.now();
  for (const [worker, rate] of Object.entries({ b: '50', a: '40', c: '10' }))
    sandbox.account().connectWorker(account, worker, rate);
  sandbox.clock.advance(1_800_000);
  sandbox.account().connectWorker(account, 'c', '0');
  sandbox.clock.advance(5_400_000);
  const hours = [start, start + 3_600_000].map(seconds);
  expect((await firstValueFrom(mining.accountHashrate({ account }))).hashrate).toEqual([
    { timestamp: hours[0], hashrate: '95', rejectRate: 0 },
    { timestamp: hours[1], hashrate: '90', rejectRate: 0 },
  ]);
  const ofWorker = await firstValueFrom(mining.workerHashrate({ account, worker: 'c', interval: '24h' }));
  expect(ofWorker.hashrates).toEqual([{ time: hours[0], hashrate: '2.5' }]);
  expect(await firstValueFrom(mining.workerNames({ account, limit: 1, offset: 1 }))).toMatchObject({ workers: ['b'] });
  expect(await firstValueFrom(mining.minerInfo({ account }))).toMatchObject({
    ...{ fee: '1', workers: { online: 2, offline: 1, low: 0 }, stratum: [{ workersCount: 2 }] },
  });
  expect((await firstValueFrom(mining.accountHashrate({ account: 'my_miner_02' }))).hashrate).toEqual([]);
});

it('creates a mining account once for each name, which the other accounts do not have', async () => {
  const { sandbox, mining } = pool();
  await firstValueFrom(mining.createAccount({ name: 'rig-2' }));
  expect((await firstValueFrom(mining.listAccounts({ name: 'rig-2' }))).data).toHaveLength(1);
  expect((await firstValueFrom(mining.listAccounts({ limit: 1 }))).data).toMatchObject([{ name: 'rig-2' }]);
  const again = await sendRaw({ sandbox }, '/api/v4/mining/accounts/create', { name: 'rig-2' });
  expect(again).toMatchObject({ status: 400, body: { errors: { name: ['The name has already been taken.'] } } });
  expect(() => {
    sandbox.account('other').connectWorker('rig-2', 'a', '1');
  }).toThrow('other has no mining account "rig-2"');
});

it.each([
  ['watcher-links/list', { account: 'nobody' }, 400],
  ['rewards', { from: 2, to: 1 }, 422],
  ['hashrate', { interval: '2h' }, 400],
  ['hashrate', { from: 4e9 }, 400],
  ['workers/hashrate', { worker: 'a', to: 4e9 }, 400],
  ['workers/hashrate', {}, 422],
])('refuses %s with %j', async (path, params, status) => {
  const { sandbox } = pool();
  expect(await sendRaw({ sandbox }, `/api/v4/mining/${path}`, { account, ...params })).toMatchObject({ status });
});

it('forgets rewards that are older than the retention time', async () => {
  const { sandbox, mining } = pool({ tickMs: dayMs, retentionMs: 3 * dayMs });
  sandbox.account().connectWorker(account, 'a', '10');
  sandbox.clock.advance(10 * dayMs);
  expect((await firstValueFrom(mining.rewards())).data).toHaveLength(3);
});
