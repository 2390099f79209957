// What the sandbox refuses of requests that move money, word for word as published, and that a refusal moves nothing.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

type Fields = Readonly<Record<string, unknown>>;
interface Refusal {
  readonly status: number;
  readonly code?: number;
  readonly message?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

const main = '/api/v4/main-account';
const sub = '/api/v4/sub-account';
const mining = '/api/v4/mining';
const open = () =>
  createSandbox({
    ...{ clock: 'manual', history: 0, tickMs: 60_000, volatility: 0 },
    subAccountCount: 2,
    accounts: [{ name: 'main', balances: { main: { USDT: '100', XLM: '50' }, trade: { USDT: '50' } } }],
  });

const bad = (field: string, text: string, status = 400, code = 0) => ({ status, code, errors: { [field]: [text] } });
const inner = (code: number, field: string, text: string): Refusal => ({
  ...{ status: 422, code, message: 'Inner validation failed', errors: { [field]: [text] } },
});
const missing = (field: string, words = field) => bad(field, `The ${words} field is required.`);
const selected = (field: string) => bad(field, `The selected ${field} is invalid.`);

const sent = { from: 'main', to: 'spot', ticker: 'USDT', amount: '1' };
const withdrawn = { ticker: 'USDT', network: 'TRC20', address: 'TXaddress', uniqueId: 'w-1', amount: '20' };
const fiat = { amount: '1', provider: 'CHECKOUT', ticker: 'UAH', uniqueId: 'f-1' };
const express = { ticker: 'USDT', amount: '1', externalId: 'e-1' };
const link = { accounts: ['my_miner_01'], name: 'family', permissions: ['dashboard'], liveUntil: '1h' };
const without = (fields: Fields, name: string) => ({ ...fields, [name]: undefined });

const tooMuch = "You don't have such amount for transfer (available 100, in amount: 100.1)";

it.each<readonly [string, Fields, Refusal]>([
  ...Object.keys(sent).map((name) => ['transfer', without(sent, name), missing(name)] as const),
  ['transfer', { ...sent, from: 'savings' }, selected('from')],
  ['transfer', { ...sent, to: 7 }, selected('to')],
  ['transfer', { ...sent, to: 'main' }, bad('to', 'The to and from must be different.')],
  ['transfer', { ...sent, ticker: 'NONE' }, selected('ticker')],
  ['transfer', { ...sent, amount: '0.000000001' }, bad('amount', 'The amount must have at most 8 decimals.')],
  ['transfer', { ...sent, amount: '100.1' }, inner(3, 'amount', tooMuch)],
  ...['ticker', 'amount', 'address'].map((name) => ['withdraw', without(withdrawn, name), missing(name)] as const),
  ['withdraw', { ...withdrawn, uniqueId: '' }, missing('uniqueId', 'unique id')],
  ['withdraw', { ...withdrawn, ticker: 'NONE' }, selected('ticker')],
  ['withdraw', { ...withdrawn, network: 'BTC' }, inner(1, 'ticker', 'This currency is not withdrawable')],
  ['withdraw', { ...withdrawn, ticker: 'XLM', network: undefined }, inner(2, 'memo', 'The memo field is required.')],
  ['withdraw', { ...withdrawn, amount: '4.99' }, inner(3, 'amount', 'Amount is too small.')],
  ['withdraw', { ...withdrawn, amount: '100.01' }, inner(5, 'amount', 'Not enough money.')],
  ['withdraw-pay', { ...withdrawn, amount: '99.01' }, inner(5, 'amount', 'Not enough money.')],
  ['address', {}, missing('ticker')],
  ['address', { ticker: 'NONE' }, selected('ticker')],
  ['create-new-address', { ticker: 'USDT', network: 'BTC' }, selected('network')],
  ...Object.keys(fiat).map(
    (name) =>
      ['fiat-deposit-url', without(fiat, name), missing(name, name === 'uniqueId' ? 'unique id' : name)] as const,
  ),
  ['refund-deposit', { address: 'x' }, missing('transactionId', 'transaction id')],
  ['refund-deposit', { transactionId: 'x', address: 'x' }, { status: 400, message: 'Transaction not refundable' }],
  ['express-withdraw/token', without(express, 'externalId'), missing('externalId', 'external id')],
  ['express-withdraw/token', { ...express, ticker: 'NONE' }, bad('ticker', 'The selected ticker is invalid.', 422)],
  ['express-withdraw/token', { ...express, amount: '10001' }, inner(191, 'amount', 'Amount is too big')],
  ['codes', { ticker: 'USDT' }, missing('amount')],
  ['codes', { ticker: 'NONE', amount: '1' }, selected('ticker')],
  ['codes/apply', {}, missing('code')],
])('main-account/%s refuses %j', async (end, fields, refusal) => {
  await expectRefusal(open(), `${main}/${end}`, fields, refusal);
});

const made = { alias: 'grid-bot', shareKyc: true, permissions: { spotEnabled: true, collateralEnabled: false } };
const permissions = 'The permissions field is required.';
const decimals = 'The amount may have at most 8 decimals.';
const tooGreat = 'The type may not be greater than 2.';
const toSub = { direction: 'main_to_sub', ticker: 'USDT', amount: '1' };
const key = { type: 3, title: 'bot' };

it.each<readonly [string, (id: string) => Fields, Refusal]>([
  ['create', () => without(made, 'alias'), missing('alias')],
  ['create', () => ({ ...made, alias: 'trading_bot_1' }), bad('alias', 'Alias already exists.')],
  ['create', () => ({ ...made, shareKyc: false }), missing('email')],
  ['create', () => without(made, 'permissions'), bad('permissions', permissions)],
  ['create', () => ({ ...made, permissions: { spotEnabled: true } }), bad('permissions', permissions)],
  ['edit', () => made, missing('id')],
  ['edit', () => ({ ...made, id: 'nobody' }), bad('id', 'Sub account is not found.')],
  ['edit', (id) => ({ ...made, id, alias: 'trading_bot_2' }), bad('alias', 'Alias already exists.')],
  ['transfer', (id) => without({ ...toSub, id }, 'direction'), missing('direction')],
  ['transfer', (id) => ({ ...toSub, id, direction: 'up' }), selected('direction')],
  ['transfer', (id) => ({ ...toSub, id, ticker: 'NONE' }), bad('ticker', 'Currency was not found.', 422, 30)],
  ['transfer', (id) => ({ ...toSub, id, amount: '0.000000001' }), bad('amount', decimals)],
  ['transfer', (id) => ({ ...toSub, id, amount: '101' }), bad('amount', 'Not enough balance.')],
  ['api-key/create', (id) => ({ subAccountId: id, type: 1 }), missing('title')],
  ['api-key/create', (id) => ({ ...key, subAccountId: id }), bad('type', tooGreat, 422, 30)],
  ['api-key/edit', () => ({ apiKeyId: 'nothing' }), { status: 404, message: 'API key is not found.' }],
  ['api-key/delete', () => ({ apiKeyId: 'nothing' }), { status: 404, message: 'API key is not found.' }],
])('sub-account/%s refuses %#', async (end, fieldsOf, refusal) => {
  const sandbox = open();
  await expectRefusal(sandbox, `${sub}/${end}`, fieldsOf(await firstSubAccount(sandbox)), refusal);
});

it.each<readonly [string, Fields, Refusal]>([
  ['payout-destination', {}, { status: 422, code: 30 }],
  ['payout-destination', { accountName: 'nobody' }, bad('user', 'User not found')],
  ['payout-destination/edit', { accountName: 'my_miner_01', destination: 'card' }, selected('destination')],
  ['payout-destination/edit', { accountName: 'my_miner_01', destination: 'external_address' }, selected('address')],
  ['watcher-links/create', { ...link, accounts: 'my_miner_01' }, selected('accounts')],
  ['watcher-links/create', { ...link, accounts: ['my_miner_01', 7] }, selected('accounts')],
  ['watcher-links/create', { ...link, permissions: [] }, selected('permissions')],
  ['watcher-links/create', { ...link, liveUntil: '2h' }, selected('liveUntil')],
])('mining/%s refuses %j', async (end, fields, refusal) => {
  await expectRefusal(open(), `${mining}/${end}`, fields, refusal);
});

async function expectRefusal(sandbox: Sandbox, path: string, fields: Fields, { status, ...body }: Refusal) {
  const before = JSON.stringify(sandbox.ledger.balanceChanges);
  expect(await sendRaw({ sandbox }, path, fields)).toMatchObject({ status, body });
  sandbox.clock.advance(2000);
  expect(JSON.stringify(sandbox.ledger.balanceChanges)).toBe(before);
}

async function firstSubAccount(sandbox: Sandbox): Promise<string> {
  const { body } = await sendRaw({ sandbox }, `${sub}/list`, { search: 'BOT_1' });
  return (body as { readonly data: readonly [{ readonly id: string }] }).data[0].id;
}
