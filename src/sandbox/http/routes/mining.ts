// The mining pool: mining accounts, workers and rewards, where the pool pays, and the public links to watch it.
import { poolFee } from '../../miners.js';
import { unixSeconds } from '../../clock.js';
import { stratumUrl } from '../../mining-pool.js';
import { invalid } from '../../rejection.js';
import { jsonResponse, page, signed, type SignedCall } from '../route.js';

const lifeSeconds = new Map<unknown, number | null>([
  ['1h', 3600],
  ['24h', 86_400],
  ['7d', 604_800],
  ['always', null],
]);

const intervalMs = new Map<unknown, number>([
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['24h', 86_400_000],
]);
const dayMs = 86_400_000;
const name = { maxLength: 255 };

export const miningRoutes = [
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

function listAccounts({ state, account, fields }: SignedCall) {
  return fields.dataPage(fields.matching(state.mining.accounts(account), { name: (one) => one.name }));
}

function createAccount({ state, account, fields }: SignedCall) {
  const { mining } = state;
  const made = fields.textOrEmpty('name');
  if (mining.has(account, made)) throw wrong('name', 'The name has already been taken.');
  return { data: mining.create(account, made) };
}

/** An unknown account has no rewards. */
function rewards({ state, account, fields }: SignedCall) {
  const period = fields.period('from', 'to');
  if (period.to < period.from) throw invalid(422, 422, 'to', 'The to must be after from.');
  const all = state.miners.rewardsOf(account).filter(({ date }) => period.has(date));
  return fields.dataPage(fields.matching(all, { account: ({ miningAccountName }) => miningAccountName }));
}

/** The mean hash rates by intervals, of the last day where the request names no time. */
function ratesOf(call: SignedCall, worker?: string) {
  const { state, account, fields } = call;
  const one = known(call, 'account');
  const now = unixSeconds(state.clock.now());
  const [from, to] = [fields.integer('from') ?? now - dayMs / 1000, fields.integer('to') ?? now];
  if (from > now) throw wrong('from');
  if (to > now) throw wrong('to');
  const interval = intervalMs.get(fields.value('interval') ?? '1h');
  if (interval === undefined) throw wrong('interval');
  const period = { from: from * 1000, to: to * 1000, intervalMs: interval, worker };
  return { account: one, rates: state.miners.hashRates(account, one, period) };
}

function accountHashrate(call: SignedCall) {
  const { account, rates } = ratesOf(call);
  const hashrate = rates.map(({ at, terahashes }) => ({ timestamp: at / 1000, hashrate: terahashes, rejectRate: 0 }));
  return { data: { account, hashrate } };
}

function workerHashrate(call: SignedCall) {
  const { rates } = ratesOf(call, call.fields.textOrEmpty('worker'));
  return { data: { hashrates: rates.map(({ at, terahashes }) => ({ time: at / 1000, hashrate: terahashes })) } };
}

function minerInfo(call: SignedCall) {
  const { online, offline } = call.state.miners.workers(call.account, known(call, 'account'));
  const workers = { online: online.length, offline: offline.length, low: 0 };
  return { data: { fee: poolFee, workers, stratum: [{ url: stratumUrl, workersCount: online.length }] } };
}

function workerNames(call: SignedCall) {
  const { online } = call.state.miners.workers(call.account, known(call, 'account'));
  const { records: workers, ...bounds } = call.fields.page(online);
  return { ...bounds, data: { workers } };
}

function payoutDestination(call: SignedCall) {
  return call.state.mining.destination(call.account, known(call, 'accountName'));
}

function setPayoutDestination(call: SignedCall) {
  const { state, account, fields } = call;
  const name = known(call, 'accountName');
  const destination = fields.text('destination');
  const isExternal = destination === 'external_address';
  if (destination !== 'main_balance' && !isExternal) throw wrong('destination');
  const address = fields.textOrEmpty('address');
  if (isExternal && address === '') throw wrong('address');
  const externalAddress = isExternal ? address : null;
  state.mining.redirect(account, name, { payoutDestination: destination, externalAddress });
  return state.mining.destination(account, name);
}

function listLinks(call: SignedCall) {
  return { data: call.state.mining.links(call.account, known(call, 'account')) };
}

function createLink({ state, account, fields }: SignedCall) {
  const accounts = texts(fields.value('accounts'), 'accounts');
  if (!accounts.every((one) => state.mining.has(account, one))) throw unknownAccount();
  const permissions = texts(fields.value('permissions'), 'permissions');
  const life = lifeSeconds.get(fields.value('liveUntil'));
  if (life === undefined) throw wrong('liveUntil');
  const made = state.mining.watch(account, { accounts, name: fields.textOrEmpty('name'), permissions }, life);
  if (made === undefined) throw wrong('accounts', 'Limit exceeded');
  const { id, link, liveUntil, createdAt } = made;
  return jsonResponse(201, { data: { id, link, liveUntil, createdAt } });
}

/** The name of a mining account that is there. */
function known({ state, account, fields }: SignedCall, field: string): string {
  const given = fields.textOrEmpty(field);
  if (state.mining.has(account, given)) return given;
  throw unknownAccount();
}

const unknownAccount = () => wrong('user', 'User not found');

function texts(value: unknown, field: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  const found = list.filter((item) => typeof item === 'string');
  if (found.length === 0 || found.length < list.length) throw wrong(field);
  return found;
}

function wrong(field: string, message = `The selected ${field} is invalid.`) {
  return invalid(400, 0, field, message);
}
