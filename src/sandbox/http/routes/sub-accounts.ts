// The sub-accounts of a main account, their transfers, and their API keys: only the main account may call these routes.
import { walletNames } from '../../books.js';
import { unixSeconds } from '../../clock.js';
import { createKey, isOfSubAccount, type SubAccountKey } from '../../keys.js';
import type { Wallet } from '../../ledger.js';
import { randomUuid } from '../../random.js';
import { randomColor, subAccount, type OwnedSubAccount } from '../../records.js';
import { invalid, Rejection } from '../../rejection.js';
import { jsonResponse, page, signed, type Call, type Route } from '../route.js';
import { requireAsset } from './assets.js';
import { amountToTransfer, pageToken } from './main-account.js';

const paged = page(100, 100, 10_000);
const maxKeys = 50;
const maxIps = 50;

export const subAccountsRoutes = [
  route('list', list, { search: { maxLength: 255 }, ...page(100, 30, 10_000) }),
  route('create', create),
  route('edit', edit),
  route('delete', remove),
  route('block', (call) => setStatus(call, 'blocked')),
  route('unblock', (call) => setStatus(call, 'active')),
  route('transfer', transfer),
  route('transfer/history', transferHistory, paged),
  route('balances', balances),
  route('withdraw/unconfirmed-list', unconfirmedWithdrawals, paged),
  route('withdraw/confirm', confirmWithdrawal),
  route('kyc-url', kycLink),
  route('api-key/create', addKey),
  route('api-key/list', listKeys, paged),
  route('api-key/edit', editKey),
  route('api-key/delete', removeKey),
  route('api-key/ip-address/list', (call) => ({ data: keyOf(call).ips })),
  route('api-key/ip-address/create', addIp),
  route('api-key/ip-address/delete', removeIp),
];

function route(path: string, respond: Route['respond'], fields: Route['fields'] = {}): Route {
  return signed(`/api/v4/sub-account/${path}`, respond, { fields });
}

function required({ fields }: Call, name: string): string {
  const value = fields.text(name) ?? '';
  if (value === '') throw invalid(400, 0, name, `The ${name} field is required.`);
  return value;
}

function ownedBy({ state, account }: Call): OwnedSubAccount[] {
  return [...state.records.subAccounts].filter(({ owner }) => owner === account);
}

function subAccountOf(call: Call, name = 'id'): OwnedSubAccount {
  const id = required(call, name);
  const found = ownedBy(call).find(({ values }) => values.id === id);
  if (found === undefined) throw invalid(400, 0, name, 'Sub account is not found.');
  return found;
}

function list(call: Call) {
  const search = call.fields.text('search')?.toLowerCase() ?? '';
  const owned = ownedBy(call).map(({ values }) => values);
  return call.fields.dataPage(
    owned.filter(({ alias, email }) => [alias, email].some((text) => text?.toLowerCase().includes(search) === true)),
  );
}

function newAlias(call: Call, own?: OwnedSubAccount): string {
  const alias = required(call, 'alias');
  if (ownedBy(call).some((one) => one !== own && one.values.alias === alias))
    throw invalid(400, 0, 'alias', 'Alias already exists.');
  return alias;
}

function permissionsOf({ fields }: Call) {
  const given = fields.value('permissions');
  const { spotEnabled, collateralEnabled }: { spotEnabled?: unknown; collateralEnabled?: unknown } =
    typeof given === 'object' && given !== null ? given : {};
  if (typeof spotEnabled !== 'boolean' || typeof collateralEnabled !== 'boolean')
    throw invalid(400, 0, 'permissions', 'The permissions field is required.');
  return { spotEnabled, collateralEnabled };
}

function create(call: Call) {
  const alias = newAlias(call);
  const shareKyc = call.fields.flag('shareKyc');
  const email = shareKyc ? call.fields.text('email') : required(call, 'email');
  const { random, records } = call.state;
  const values = {
    ...{ id: randomUuid(random), userId: randomUuid(random), status: 'active', color: randomColor(random) },
    ...{ alias, permissions: permissionsOf(call), kyc: { shareKyc, kycStatus: shareKyc ? 'shared' : 'verified' } },
    email: email === undefined ? '' : `${email.slice(0, 1)}***${email.slice(email.indexOf('@'))}`,
  };
  records.subAccounts.add(subAccount(call.account, values));
  return jsonResponse(201, values);
}

function edit(call: Call) {
  const one = subAccountOf(call);
  one.values = { ...one.values, alias: newAlias(call, one), permissions: permissionsOf(call) };
  return {};
}

function remove(call: Call) {
  const removed = subAccountOf(call);
  const { account } = removed;
  const { books, keys, records, wallets } = call.state;
  const hasMoney =
    walletNames.some((wallet) => Object.keys(books.wallet(account, wallet)).length > 0) ||
    records.fixedInvestments.of(account).some(({ closedAt }) => closedAt === undefined) ||
    records.flexInvestments.of(account).some(({ isClosed }) => !isClosed) ||
    [...wallets.queued].some((transfer) => transfer.account === account) ||
    wallets.unconfirmedOf(account).length > 0;
  if (hasMoney) throw invalid(400, 0, 'id', 'Sub account has balances.');
  for (const { apiKey } of keysOf(call, removed)) keys.delete(apiKey);
  records.subAccounts.delete(removed);
  return {};
}

function setStatus(call: Call, status: 'active' | 'blocked') {
  const one = subAccountOf(call);
  one.values = { ...one.values, status };
  for (const key of keysOf(call, one)) key.isEnabled = status === 'active';
  return {};
}

function transfer(call: Call) {
  const one = subAccountOf(call);
  const direction = required(call, 'direction');
  if (direction !== 'main_to_sub' && direction !== 'sub_to_main')
    throw invalid(400, 0, 'direction', 'The selected direction is invalid.');
  const ticker = required(call, 'ticker');
  requireAsset(call.state, ticker, 'Currency was not found.');
  const amount = amountToTransfer(call, 'may');
  const { records, wallets, clock, random } = call.state;
  const [from, to] = direction === 'main_to_sub' ? [one.owner, one.account] : [one.account, one.owner];
  const moved = { asset: ticker, amount, reason: 'sub-account' } as const;
  if (!wallets.debitWithdrawable({ ...moved, account: from })) throw invalid(400, 0, 'amount', 'Not enough balance.');
  wallets.credit({ ...moved, account: to });
  const id = randomUuid(random);
  records.subAccountTransfers.push({ account: one.account, id, at: clock.now(), direction, asset: ticker, amount });
  return { transaction_id: id };
}

function transferHistory(call: Call) {
  const { account } = subAccountOf(call);
  const found = call.fields
    .matching(call.state.records.subAccountTransfers.of(account), { direction: ({ direction }) => direction })
    .map(({ id, direction, asset: currency, amount, at }) => {
      return { transactionId: id, id, direction, currency, amount, createdAt: unixSeconds(at) };
    });
  return call.fields.dataPage(found);
}

function balances(call: Call) {
  const { books } = call.state;
  const { account } = subAccountOf(call);
  const ticker = call.fields.text('ticker');
  const amount = (wallet: Wallet, asset: string) => books.balance(account, wallet, asset);
  const held = walletNames.flatMap((name) => Object.keys(books.wallet(account, name)));
  return Object.fromEntries(
    (ticker === undefined ? [...new Set(held)] : [ticker]).map((asset) => [
      asset,
      [{ main: amount('main', asset), spot: amount('trade', asset), collateral: amount('collateral', asset) }],
    ]),
  );
}

function unconfirmedOf(call: Call) {
  return ownedBy(call)
    .flatMap((of) => call.state.wallets.unconfirmedOf(of.account).map((withdrawal) => ({ of, withdrawal })))
    .sort((one, other) => other.withdrawal.at - one.withdrawal.at);
}

function unconfirmedWithdrawals(call: Call) {
  const found = call.fields
    .matching(unconfirmedOf(call), { subAccountId: ({ of }) => of.values.id })
    .map(({ of, withdrawal: { transactionId: id, asset: currency, amount, at } }) => {
      return { id, subAccountId: of.values.id, currency, amount, createdAt: unixSeconds(at) };
    });
  return call.fields.dataPage(found);
}

function confirmWithdrawal(call: Call) {
  const id = required(call, 'id');
  const found = unconfirmedOf(call).find(({ withdrawal }) => withdrawal.transactionId === id);
  if (found === undefined) throw invalid(422, 422, 'id', 'Withdrawal has wrong status.');
  found.withdrawal.startedAt = call.state.clock.now();
  return {};
}

const kycSeconds = 3600;

/** Published: 400 with code 400 for a sub-account that is blocked, or shares the verification of the main account. */
function kycLink(call: Call) {
  const { values } = subAccountOf(call);
  if (values.status !== 'active') throw new Rejection(400, 400, 'Sub account is not active.');
  if (values.kyc?.shareKyc === true) throw new Rejection(400, 400, 'Sub account shares the KYC of the main account.');
  return { url: `https://kyc.example/${pageToken(call.state.random)}`, expiresIn: kycSeconds };
}

function keysOf({ state, account }: Call, one?: OwnedSubAccount): SubAccountKey[] {
  const keys = [...state.keys.values()].reverse().filter(isOfSubAccount);
  return keys.filter(({ of }) => of.owner === account && (one === undefined || of === one));
}

function keyOf(call: Call): SubAccountKey {
  const id = required(call, 'apiKeyId');
  const found = keysOf(call).find((key) => key.id === id);
  if (found === undefined) throw new Rejection(404, 0, 'API key is not found.');
  return found;
}

function valuesOf({ id, of, title, isEnabled, apiKey, ips, allowedPaths = [] }: SubAccountKey) {
  return {
    ...{ id, subAccountId: of.values.id, title, isEnabled, apiKey, lastActivity: 0 },
    ...{ restrictAccess: ips.length > 0, accessEndpoints: allowedPaths.map((name) => ({ name })) },
  };
}

function addKey(call: Call) {
  const { keys, random } = call.state;
  const of = subAccountOf(call, 'subAccountId');
  const type = call.fields.integer('type', { minimum: 1, maximum: 2 }) ?? 1;
  if (keysOf(call, of).length >= maxKeys) throw new Rejection(400, 5, 'The limit of API keys is reached.');
  const terms = { of, type, title: required(call, 'title'), ips: [], isEnabled: of.values.status === 'active' };
  const made: SubAccountKey = { ...createKey(of.account, random), ...terms, id: randomUuid(random) };
  keys.set(made.apiKey, made);
  return jsonResponse(201, { ...valuesOf(made), type, apiSecret: made.apiSecret });
}

function listKeys(call: Call) {
  const found = call.fields.matching(keysOf(call), { subAccountId: ({ of }) => of.values.id });
  return call.fields.dataPage(found.map((key) => ({ ...valuesOf(key), type: String(key.type), apiSecret: '' })));
}

function editKey(call: Call) {
  const edited = keyOf(call);
  const urls = call.fields.value('urls');
  if (!Array.isArray(urls)) throw invalid(400, 0, 'urls', 'The urls field is required.');
  edited.title = required(call, 'title');
  edited.allowedPaths = urls.flatMap((one: unknown) => {
    const { url, enable }: { url?: unknown; enable?: unknown } = typeof one === 'object' && one !== null ? one : {};
    return typeof url === 'string' && enable === true ? [url] : [];
  });
  return {};
}

function removeKey(call: Call) {
  call.state.keys.delete(keyOf(call).apiKey);
  return {};
}

function addIp(call: Call) {
  const key = keyOf(call);
  const ip = required(call, 'ip');
  if (key.ips.includes(ip)) throw new Rejection(400, 5, 'IP address is already in allowlist.');
  if (key.ips.length >= maxIps) throw new Rejection(400, 5, 'The limit of IP addresses is reached.');
  key.ips = [...key.ips, ip];
  return jsonResponse(201, { data: key.ips });
}

function removeIp(call: Call) {
  const key = keyOf(call);
  const ip = required(call, 'ip');
  if (!key.ips.includes(ip)) throw new Rejection(400, 5, 'IP address is not in allowlist.');
  key.ips = key.ips.filter((other) => other !== ip);
  return { data: key.ips };
}
