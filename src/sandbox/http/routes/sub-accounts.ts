// The sub-accounts of a main account, and their API keys: only the main account may call these routes.
import { decimal } from '../../../model/decimal.js';
import { walletNames } from '../../books.js';
import { unixSeconds } from '../../clock.js';
import type { Wallet } from '../../ledger.js';
import { invalid, Rejection } from '../../rejection.js';
import type { OwnedSubAccount, SubAccountKey } from '../../sub-accounts.js';
import { jsonResponse, page, signed, type SignedCall, type SignedRoute } from '../route.js';
import { requireAsset } from './assets.js';

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
  route('api-key/create', createKey),
  route('api-key/list', listKeys, paged),
  route('api-key/edit', editKey),
  route('api-key/delete', removeKey),
  route('api-key/ip-address/list', (call) => ({ data: keyOf(call).ips })),
  route('api-key/ip-address/create', addIp),
  route('api-key/ip-address/delete', removeIp),
];

function route(path: string, respond: SignedRoute['respond'], fields: SignedRoute['fields'] = {}): SignedRoute {
  return signed(`/api/v4/sub-account/${path}`, respond, { fields });
}

function required({ fields }: SignedCall, name: string): string {
  const value = fields.text(name) ?? '';
  if (value === '') throw invalid(400, 0, name, `The ${name} field is required.`);
  return value;
}

function subAccountOf(call: SignedCall, name = 'id'): OwnedSubAccount {
  const found = call.state.subAccounts.find(call.account, required(call, name));
  if (found === undefined) throw invalid(400, 0, name, 'Sub account is not found.');
  return found;
}

function list({ state, account, fields }: SignedCall) {
  const search = fields.text('search')?.toLowerCase() ?? '';
  const found = state.subAccounts.of(account).map(({ values }) => values);
  return fields.dataPage(
    found.filter(({ alias, email }) => [alias, email].some((text) => text?.toLowerCase().includes(search) === true)),
  );
}

/** A name that no other sub-account of the main account has. */
function newAlias(call: SignedCall, own?: OwnedSubAccount): string {
  const alias = required(call, 'alias');
  const others = call.state.subAccounts.of(call.account).filter((one) => one !== own);
  if (others.some(({ values }) => values.alias === alias)) throw invalid(400, 0, 'alias', 'Alias already exists.');
  return alias;
}

function permissionsOf({ fields }: SignedCall) {
  const given = fields.value('permissions');
  const { spotEnabled, collateralEnabled }: { spotEnabled?: unknown; collateralEnabled?: unknown } =
    typeof given === 'object' && given !== null ? given : {};
  if (typeof spotEnabled !== 'boolean' || typeof collateralEnabled !== 'boolean')
    throw invalid(400, 0, 'permissions', 'The permissions field is required.');
  return { spotEnabled, collateralEnabled };
}

function create(call: SignedCall) {
  const alias = newAlias(call);
  const shareKyc = call.fields.flag('shareKyc');
  const email = shareKyc ? call.fields.text('email') : required(call, 'email');
  const made = call.state.subAccounts.create(call.account, {
    ...{ alias, permissions: permissionsOf(call) },
    email: email === undefined ? '' : `${email.slice(0, 1)}***${email.slice(email.indexOf('@'))}`,
    kyc: { shareKyc, kycStatus: shareKyc ? 'shared' : 'verified' },
  });
  return jsonResponse(201, made);
}

function edit(call: SignedCall) {
  const one = subAccountOf(call);
  one.values = { ...one.values, alias: newAlias(call, one), permissions: permissionsOf(call) };
  return {};
}

function remove(call: SignedCall) {
  if (!call.state.subAccounts.remove(subAccountOf(call))) throw invalid(400, 0, 'id', 'Sub account has balances.');
  return {};
}

function setStatus(call: SignedCall, status: 'active' | 'blocked') {
  call.state.subAccounts.setStatus(subAccountOf(call), status);
  return {};
}

function transfer(call: SignedCall) {
  const one = subAccountOf(call);
  const direction = required(call, 'direction');
  if (direction !== 'main_to_sub' && direction !== 'sub_to_main')
    throw invalid(400, 0, 'direction', 'The selected direction is invalid.');
  const ticker = required(call, 'ticker');
  requireAsset(call.state, ticker, 'Currency was not found.');
  const amount = decimal(call.fields.amount());
  if (!amount.decimalPlaces(8).isEqualTo(amount))
    throw invalid(400, 0, 'amount', 'The amount may have at most 8 decimals.');
  const transaction_id = call.state.subAccounts.transfer(one, direction, ticker, amount);
  if (transaction_id === undefined) throw invalid(400, 0, 'amount', 'Not enough balance.');
  return { transaction_id };
}

function transferHistory(call: SignedCall) {
  const direction = call.fields.text('direction');
  const found = call.state.subAccounts.transfersOf(subAccountOf(call), direction);
  return call.fields.dataPage(found);
}

function balances(call: SignedCall) {
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

/** Newest first. */
function unconfirmedOf({ state, account }: SignedCall, subAccountId?: string) {
  const { subAccounts } = state;
  return subAccounts
    .of(account)
    .filter(({ values }) => subAccountId === undefined || values.id === subAccountId)
    .flatMap((one) => state.wallets.unconfirmedOf(one.account).map((withdrawal) => ({ of: one, withdrawal })))
    .sort((one, other) => other.withdrawal.at - one.withdrawal.at);
}

function unconfirmedWithdrawals(call: SignedCall) {
  const { records, ...bounds } = call.fields.page(unconfirmedOf(call, call.fields.text('subAccountId')));
  const data = records.map(({ of, withdrawal: { transactionId: id, asset: currency, amount, at } }) => {
    return { id, subAccountId: of.values.id, currency, amount, createdAt: unixSeconds(at) };
  });
  return { ...bounds, data };
}

/** A second confirmation is refused. */
function confirmWithdrawal(call: SignedCall) {
  const id = required(call, 'id');
  if (!unconfirmedOf(call).some(({ withdrawal }) => withdrawal.transactionId === id))
    throw invalid(422, 422, 'id', 'Withdrawal has wrong status.');
  call.state.wallets.confirm(id);
  return {};
}

const kycSeconds = 3600;

/** Published: 400 with code 400 for a sub-account that is blocked, or shares the verification of the main account. */
function kycLink(call: SignedCall) {
  const { values } = subAccountOf(call);
  if (values.status !== 'active') throw new Rejection(400, 400, 'Sub account is not active.');
  if (values.kyc?.shareKyc === true) throw new Rejection(400, 400, 'Sub account shares the KYC of the main account.');
  return { url: `https://kyc.example/${call.state.payments.newToken()}`, expiresIn: kycSeconds };
}

function keyOf(call: SignedCall): SubAccountKey {
  const id = required(call, 'apiKeyId');
  const found = call.state.subAccounts.keysOf(call.account).find((key) => key.id === id);
  if (found === undefined) throw new Rejection(404, 0, 'API key is not found.');
  return found;
}

function valuesOf({ id, of, key, title, ips }: SubAccountKey) {
  return {
    ...{ id, subAccountId: of.values.id, title, isEnabled: key.isEnabled, apiKey: key.apiKey, lastActivity: 0 },
    ...{ restrictAccess: ips.length > 0, accessEndpoints: (key.allowedPaths ?? []).map((name) => ({ name })) },
  };
}

function createKey(call: SignedCall) {
  const { subAccounts } = call.state;
  const one = subAccountOf(call, 'subAccountId');
  const type = call.fields.integer('type', { minimum: 1, maximum: 2 }) ?? 1;
  if (subAccounts.keysOf(call.account).filter(({ of }) => of === one).length >= maxKeys)
    throw new Rejection(400, 5, 'The limit of API keys is reached.');
  const made = subAccounts.createKey(one, type, required(call, 'title'));
  return jsonResponse(201, { ...valuesOf(made), type, apiSecret: made.key.apiSecret });
}

function listKeys({ state, account, fields }: SignedCall) {
  const keys = state.subAccounts.keysOf(account);
  const found = fields.matching(keys, { subAccountId: ({ of }) => of.values.id });
  return fields.dataPage(found.map((key) => ({ ...valuesOf(key), type: String(key.type), apiSecret: '' })));
}

/** The paths that are enabled are those that the key may call from now on. */
function editKey(call: SignedCall) {
  const edited = keyOf(call);
  const urls = call.fields.value('urls');
  if (!Array.isArray(urls)) throw invalid(400, 0, 'urls', 'The urls field is required.');
  edited.title = required(call, 'title');
  edited.key.allowedPaths = urls.flatMap((one: unknown) => {
    const { url, enable }: { url?: unknown; enable?: unknown } = typeof one === 'object' && one !== null ? one : {};
    return typeof url === 'string' && enable === true ? [url] : [];
  });
  return {};
}

function removeKey(call: SignedCall) {
  call.state.subAccounts.removeKey(keyOf(call));
  return {};
}

function addIp(call: SignedCall) {
  const key = keyOf(call);
  const ip = required(call, 'ip');
  if (key.ips.includes(ip)) throw new Rejection(400, 5, 'IP address is already in allowlist.');
  if (key.ips.length >= maxIps) throw new Rejection(400, 5, 'The limit of IP addresses is reached.');
  key.ips = [...key.ips, ip];
  return jsonResponse(201, { data: key.ips });
}

function removeIp(call: SignedCall) {
  const key = keyOf(call);
  const ip = required(call, 'ip');
  if (!key.ips.includes(ip)) throw new Rejection(400, 5, 'IP address is not in allowlist.');
  key.ips = key.ips.filter((other) => other !== ip);
  return { data: key.ips };
}
