// The mining pool: mining accounts, workers and rewards, where the pool pays, and the public links to watch it.
import { poolFee } from '../../miners.js';
import { Rejection } from '../../rejection.js';
import { stratumUrl } from '../../sample-accounts.js';
import { page, per10s, signed, type SignedCall } from '../route.js';

const rateLimit = per10s(1000);
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
  signed('/api/v4/mining/accounts', listAccounts, { rateLimit, fields: { name, ...page(100, 30, 10_000) } }),
  signed('/api/v4/mining/accounts/create', createAccount, {
    rateLimit,
    required: ['name'],
    fields: { name, referralCode: { maxLength: 50 } },
  }),
  signed('/api/v4/mining/rewards', rewards, { rateLimit, fields: page(100, 30, 10_000) }),
  signed('/api/v4/mining/hashrate', accountHashrate, { rateLimit, required: ['account'] }),
  signed('/api/v4/mining/miners/info', minerInfo, { rateLimit, required: ['account'] }),
  signed('/api/v4/mining/workers/names', workerNames, {
    ...{ rateLimit, required: ['account'], fields: page(100, 100, 10_000) },
  }),
  signed('/api/v4/mining/workers/hashrate', workerHashrate, { rateLimit, required: ['account', 'worker'] }),
  signed('/api/v4/mining/payout-destination', payoutDestination, { rateLimit, required: ['accountName'] }),
  signed('/api/v4/mining/payout-destination/edit', setPayoutDestination, {
    rateLimit,
    required: ['accountName', 'destination'],
    fields: { address: { maxLength: 100 } },
  }),
  signed('/api/v4/mining/watcher-links/list', listLinks, { rateLimit, required: ['account'] }),
  signed('/api/v4/mining/watcher-links/create', createLink, {
    rateLimit,
    required: ['accounts', 'name', 'permissions', 'liveUntil'],
    fields: { name },
  }),
];

function listAccounts({ state, account, fields }: SignedCall) {
  return fields.dataPage(fields.matching(state.registry.mining.accounts(account), { name: (one) => one.name }));
}

function createAccount({ state, account, fields }: SignedCall) {
  fields.require();
  const { mining } = state.registry;
  const made = fields.textOrEmpty('name');
  if (mining.has(account, made)) throw refused('name', 'The name has already been taken.');
  return { data: mining.create(account, made) };
}

/** An unknown account has no rewards. */
function rewards({ state, account, fields }: SignedCall) {
  const [from, to] = [fields.integer('from') ?? 0, fields.integer('to') ?? Number.POSITIVE_INFINITY];
  if (to < from) throw new Rejection(422, 422, 'Validation failed', { to: ['The to must be after from.'] });
  const all = state.registry.miners.rewardsOf(account).filter(({ date }) => date >= from && date <= to);
  return fields.dataPage(fields.matching(all, { account: ({ miningAccountName }) => miningAccountName }));
}

/** The mean hash rates by intervals, of the last day where the request names no time. */
function ratesOf(call: SignedCall, worker?: string) {
  const { state, account, fields } = call;
  const one = known(call, 'account');
  const now = Math.floor(state.clock.now() / 1000);
  const [from, to] = [fields.integer('from') ?? now - dayMs / 1000, fields.integer('to') ?? now];
  if (from > now) throw refused('from');
  if (to > now) throw refused('to');
  const interval = intervalMs.get(fields.value('interval') ?? '1h');
  if (interval === undefined) throw refused('interval');
  const period = { from: from * 1000, to: to * 1000, intervalMs: interval, worker };
  return { account: one, rates: state.registry.miners.hashRates(account, one, period) };
}

function accountHashrate(call: SignedCall) {
  call.fields.require();
  const { account, rates } = ratesOf(call);
  const hashrate = rates.map(({ at, terahashes }) => ({ timestamp: at / 1000, hashrate: terahashes, rejectRate: 0 }));
  return { data: { account, hashrate } };
}

function workerHashrate(call: SignedCall) {
  call.fields.require();
  const { rates } = ratesOf(call, call.fields.textOrEmpty('worker'));
  return { data: { hashrates: rates.map(({ at, terahashes }) => ({ time: at / 1000, hashrate: terahashes })) } };
}

function minerInfo(call: SignedCall) {
  call.fields.require();
  const { online, offline } = call.state.registry.miners.workers(call.account, known(call, 'account'));
  const workers = { online: online.length, offline: offline.length, low: 0 };
  return { data: { fee: poolFee, workers, stratum: [{ url: stratumUrl, workersCount: online.length }] } };
}

function workerNames(call: SignedCall) {
  call.fields.require();
  const { online } = call.state.registry.miners.workers(call.account, known(call, 'account'));
  const { records: workers, ...bounds } = call.fields.page(online);
  return { ...bounds, data: { workers } };
}

function payoutDestination(call: SignedCall) {
  call.fields.require();
  return call.state.registry.mining.destination(call.account, known(call, 'accountName'));
}

function setPayoutDestination(call: SignedCall) {
  const { state, account, fields } = call;
  fields.require();
  const name = known(call, 'accountName');
  const destination = fields.text('destination');
  const isExternal = destination === 'external_address';
  if (destination !== 'main_balance' && !isExternal) throw refused('destination');
  const address = fields.textOrEmpty('address');
  if (isExternal && address === '') throw refused('address');
  const externalAddress = isExternal ? address : null;
  state.registry.mining.redirect(account, name, { payoutDestination: destination, externalAddress });
  return state.registry.mining.destination(account, name);
}

function listLinks(call: SignedCall) {
  call.fields.require();
  return { data: call.state.registry.mining.links(call.account, known(call, 'account')) };
}

function createLink({ state, account, fields }: SignedCall) {
  fields.require();
  const accounts = texts(fields.value('accounts'), 'accounts');
  if (!accounts.every((one) => state.registry.mining.has(account, one))) throw unknownAccount();
  const permissions = texts(fields.value('permissions'), 'permissions');
  const life = lifeSeconds.get(fields.value('liveUntil'));
  if (life === undefined) throw refused('liveUntil');
  const made = state.registry.mining.watch(account, { accounts, name: fields.textOrEmpty('name'), permissions }, life);
  if (made === undefined) throw refused('accounts', 'Limit exceeded');
  const { id, link, liveUntil, createdAt } = made;
  return Response.json({ data: { id, link, liveUntil, createdAt } }, { status: 201 });
}

/** The name of a mining account that is there. */
function known({ state, account, fields }: SignedCall, field: string): string {
  const given = fields.textOrEmpty(field);
  if (state.registry.mining.has(account, given)) return given;
  throw unknownAccount();
}

const unknownAccount = () => refused('user', 'User not found');

function texts(value: unknown, field: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  const found = list.filter((item) => typeof item === 'string');
  if (found.length === 0 || found.length < list.length) throw refused(field);
  return found;
}

function refused(field: string, message = `The selected ${field} is invalid.`): Rejection {
  return new Rejection(400, 0, 'Validation failed', { [field]: [message] });
}
