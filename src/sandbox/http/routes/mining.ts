// The mining pool: mining accounts, workers and rewards, where the pool pays, and the public links to watch it.
import { unixSeconds } from '../../clock.js';
import { hashRates, minedAsset, poolFee } from '../../miners.js';
import { randomHex } from '../../random.js';
import { mainBalance, type OwnedMiningAccount, type Reward, type WatcherLink } from '../../records.js';
import { invalid } from '../../rejection.js';
import { per10s } from '../rate-limiter.js';
import { jsonResponse, open, page, signed, type ExchangeState, type Call } from '../route.js';

const secondsPerDay = 86_400;
const lifeSeconds = new Map<unknown, number | null>(
  Object.entries({ '1h': 3600, '24h': secondsPerDay, '7d': 7 * secondsPerDay, always: null }),
);
const intervalMs = new Map<unknown, number>(Object.entries({ '5m': 300_000, '1h': 3_600_000, '24h': 86_400_000 }));
const name = { maxLength: 255 };

export const miningRoutes = [
  open('/api/v4/public/mining-pool', overview, { rateLimit: per10s(1000) }),
  signed('/api/v4/mining/accounts', listAccounts, { fields: { name, ...page(100, 30, 10_000) } }),
  signed('/api/v4/mining/accounts/create', createAccount, {
    ...{ required: ['name'], fields: { name, referralCode: { maxLength: 50 } } },
  }),
  signed('/api/v4/mining/rewards', rewards, { fields: page(100, 30, 10_000) }),
  signed('/api/v4/mining/hashrate', accountHashrate, { required: ['account'] }),
  signed('/api/v4/mining/miners/info', minerInfo, { required: ['account'] }),
  signed('/api/v4/mining/workers/names', workerNames, { required: ['account'], fields: page(100, 100, 10_000) }),
  signed('/api/v4/mining/workers/hashrate', workerHashrate, { required: ['account', 'worker'] }),
  signed('/api/v4/mining/payout-destination', payoutDestination, { required: ['accountName'] }),
  signed('/api/v4/mining/payout-destination/edit', setPayoutDestination, {
    ...{ required: ['accountName', 'destination'], fields: { address: { maxLength: 100 } } },
  }),
  signed('/api/v4/mining/watcher-links/list', listLinks, { required: ['account'] }),
  signed('/api/v4/mining/watcher-links/create', createLink, {
    ...{ required: ['accounts', 'name', 'permissions', 'liveUntil'], fields: { name } },
  }),
];

const stratumUrl = 'stratum+tcp://btc.sandbox.test:3333';
const hashesPerWorker = 110_000_000_000_000;
const secondsPerBlock = 600;
/** The first block of Bitcoin, Unix seconds. */
const firstBlockAt = 1_231_006_505;
const shownBlocks = 5;
const shownDays = 7;

/** The pool has a worker for each mining account. */
function overview({ state }: Call) {
  const workers = state.records.miningAccounts.count;
  const seconds = unixSeconds(state.clock.now());
  const today = Math.floor(seconds / secondsPerDay);
  const hashRate = (day: number) => String(workers * hashesPerWorker * (1 + (day % 7) / 100));
  const days = Array.from({ length: shownDays }, (_, index) => today + 1 - shownDays + index);
  const height = Math.floor((seconds - firstBlockAt) / secondsPerBlock);
  const heights = Array.from({ length: shownBlocks }, (_, index) => height - index);
  const blocks = heights.map((block_height) => {
    return { block_found_at: firstBlockAt + block_height * secondsPerBlock, block_height };
  });
  const last7days_hash_rate = days.map((day) => ({ timestamp: day * secondsPerDay, hashrate: hashRate(day) }));
  const pool = { connection_links: [stratumUrl], location: 'Europe', assets: [minedAsset], reward_schemes: ['FPPS'] };
  return { data: { ...pool, workers, current_hash_rate: hashRate(today), last7days_hash_rate, blocks } };
}

function listAccounts({ state, account, fields }: Call) {
  const accounts = state.records.miningAccounts.of(account).map(({ values }) => values);
  return fields.dataPage(fields.matching(accounts, { name: (one) => one.name }));
}

function createAccount({ state, account, fields }: Call) {
  const { records, clock } = state;
  const made = fields.textOrEmpty('name');
  if (find(state, account, made) !== undefined) throw wrong('name', 'The name has already been taken.');
  const values = { name: made, createdAt: unixSeconds(clock.now()) };
  records.miningAccounts.push({ account, at: clock.now(), values, workers: [], payout: mainBalance });
  return { data: values };
}

function find({ records }: ExchangeState, account: string, wanted: string): OwnedMiningAccount | undefined {
  return records.miningAccounts.of(account).find(({ values }) => values.name === wanted);
}

function known({ state, account, fields }: Call, field = 'account'): OwnedMiningAccount {
  const found = find(state, account, fields.textOrEmpty(field));
  if (found === undefined) throw unknownAccount();
  return found;
}

const unknownAccount = () => wrong('user', 'User not found');

const hashesOfTerahash = 12;

function rewards({ state, account, fields }: Call) {
  const period = fields.period('from', 'to');
  if (period.to < period.from) throw invalid(422, 422, 'to', 'The to must be after from.');
  const all = state.records.rewards.of(account).filter(({ at }) => period.has(unixSeconds(at)));
  return fields.dataPage(fields.matching(all, { account: (one) => one.name }).map(rewardRecord));
}

/** Published: a reward that is paid to the main balance has no payment of its own. */
function rewardRecord({ name: miningAccountName, at, total, fee, rate, payment }: Reward) {
  return {
    ...{ miningAccountName, payoutDestination: payment === undefined ? 'main_balance' : 'external_address' },
    ...{ payoutTransactionHash: payment?.hash ?? null, payoutAddress: payment?.address ?? null },
    ...{ payoutTime: payment === undefined ? null : unixSeconds(payment.at), rewardCurrency: minedAsset },
    ...{ totalReward: total, reward: total.minus(fee), fee, date: unixSeconds(at), status: 'successful' },
    hashRate: rate.shiftedBy(hashesOfTerahash).decimalPlaces(0),
  };
}

function ratesOf(call: Call, worker?: string) {
  const { state, fields } = call;
  const { workers } = known(call);
  const now = unixSeconds(state.clock.now());
  const [from, to] = [fields.integer('from') ?? now - secondsPerDay, fields.integer('to') ?? now];
  if (from > now) throw wrong('from');
  if (to > now) throw wrong('to');
  const interval = intervalMs.get(fields.value('interval') ?? '1h');
  if (interval === undefined) throw wrong('interval');
  const wanted = workers.filter((one) => worker === undefined || one.name === worker);
  return hashRates(wanted, { from: from * 1000, to: to * 1000, intervalMs: interval });
}

function accountHashrate(call: Call) {
  const rates = ratesOf(call).map(({ time: timestamp, hashrate }) => ({ timestamp, hashrate, rejectRate: 0 }));
  return { data: { account: call.fields.value('account'), hashrate: rates } };
}

function workerHashrate(call: Call) {
  return { data: { hashrates: ratesOf(call, call.fields.textOrEmpty('worker')) } };
}

function onlineOf({ workers }: OwnedMiningAccount): string[] {
  const online = workers.filter(({ rates }) => rates.at(-1)?.terahashes.isZero() === false);
  return online.map((worker) => worker.name).sort();
}

function minerInfo(call: Call) {
  const one = known(call);
  const online = onlineOf(one).length;
  const workers = { online, offline: one.workers.length - online, low: 0 };
  return { data: { fee: poolFee, workers, stratum: [{ url: stratumUrl, workersCount: online }] } };
}

function workerNames(call: Call) {
  const { records: workers, ...bounds } = call.fields.page(onlineOf(known(call)));
  return { ...bounds, data: { workers } };
}

function payoutDestination(call: Call) {
  return known(call, 'accountName').payout;
}

function setPayoutDestination(call: Call) {
  const one = known(call, 'accountName');
  const payoutDestination = call.fields.text('destination');
  const address = call.fields.textOrEmpty('address');
  if (payoutDestination !== 'main_balance' && payoutDestination !== 'external_address') throw wrong('destination');
  if (payoutDestination === 'external_address' && address === '') throw wrong('address');
  one.payout = payoutDestination === 'main_balance' ? mainBalance : { payoutDestination, externalAddress: address };
  return one.payout;
}

const maxLinks = 3;

function linksTo({ records, clock }: ExchangeState, account: string, wanted: string): WatcherLink[] {
  const isActive = ({ liveUntil }: WatcherLink) => liveUntil === null || liveUntil > clock.now() / 1000;
  return records.watcherLinks.of(account).filter((link) => link.accounts.includes(wanted) && isActive(link));
}

function listLinks(call: Call) {
  const { values } = known(call);
  const links = linksTo(call.state, call.account, values.name).reverse();
  return { data: links.map(({ account: _account, at: _at, ...link }) => link) };
}

function createLink({ state, account, fields }: Call) {
  const { records, clock, random } = state;
  const accounts = texts(fields.value('accounts'), 'accounts');
  if (accounts.some((one) => find(state, account, one) === undefined)) throw unknownAccount();
  const permissions = texts(fields.value('permissions'), 'permissions');
  const life = lifeSeconds.get(fields.value('liveUntil'));
  if (life === undefined) throw wrong('liveUntil');
  if (accounts.some((one) => linksTo(state, account, one).length >= maxLinks))
    throw wrong('accounts', 'Limit exceeded');
  const [at, id] = [clock.now(), randomHex(random, 32)];
  const createdAt = unixSeconds(at);
  const liveUntil = life === null ? null : createdAt + life;
  const made = { id, link: `https://pool.example/watch/${id}`, liveUntil, createdAt };
  records.watcherLinks.push({ ...made, account, at, accounts, name: fields.textOrEmpty('name'), permissions });
  return jsonResponse(201, { data: made });
}

function texts(value: unknown, field: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  const found = list.filter((item) => typeof item === 'string');
  if (found.length === 0 || found.length < list.length) throw wrong(field);
  return found;
}

function wrong(field: string, message = `The selected ${field} is invalid.`) {
  return invalid(400, 0, field, message);
}
