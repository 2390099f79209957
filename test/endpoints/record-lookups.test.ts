// Which record of a list is taken for that of a request whose response was lost, and what the caller gets of it.
import type { Endpoint } from 'exchange-rx';
import { account, compliance, convert, lending, mining, subAccounts } from 'exchange-rx/endpoints';
import { describe, expect, it } from 'vitest';
import { isAmountOf } from '../../src/endpoints/agrees-on.js';
import { allEndpoints } from '../support/endpoints.js';

interface Lookup {
  readonly endpoint: Endpoint;
  readonly request: Readonly<Record<string, unknown>>;
  /** The record of the request. */
  readonly record: Readonly<Record<string, unknown>>;
  readonly output: object;
  /** A field that the record may lack: the output lacks it, too. */
  readonly without?: string;
  /** Changes that make it the record of another request. */
  readonly others: readonly object[];
  /** Changes that leave it the record of this one. */
  readonly same?: readonly object[];
}

const permissions = { spotEnabled: true, collateralEnabled: false };

const lookups: readonly Lookup[] = [
  {
    endpoint: account.withdraw,
    request: { uniqueId: 'w-1', ticker: 'USDT', amount: '50' },
    record: { uniqueId: 'w-1', ticker: 'USDT', amount: '50', fee: '1', method: 2 },
    output: [],
    others: [{ uniqueId: 'w-2' }, { ticker: 'BTC' }, { amount: '48' }, { method: 1 }],
    same: [{ amount: '49' }, { amount: '51' }, { fee: undefined }, { ticker: undefined, method: undefined }],
  },
  {
    endpoint: account.transfer,
    request: { from: 'main', to: 'spot', ticker: 'USDT', amount: '50' },
    record: { id: 't', currency: 'USDT', amount: '50', from_balance: 'main', to_balance: 'spot' },
    output: [],
    others: [{ currency: 'BTC' }, { amount: '51' }, { from_balance: 'collateral' }, { to_balance: 'collateral' }],
  },
  {
    endpoint: account.createCode,
    request: { ticker: 'USDT', amount: '50' },
    record: { code: 'WBc0de', ticker: 'USDT', amount: '50', external_id: 'e' },
    output: { code: 'WBc0de', external_id: 'e' },
    without: 'external_id',
    others: [{ ticker: 'BTC' }, { amount: '5' }],
    same: [{ ticker: undefined }],
  },
  {
    endpoint: account.applyCode,
    request: { code: 'WBc0de' },
    record: { code: 'WBC0DE', ticker: 'USDT', amount: '50', external_id: 'e' },
    output: { ticker: 'USDT', amount: '50', external_id: 'e' },
    without: 'external_id',
    others: [{ code: 'WBother' }, { amount: '-50' }],
  },
  {
    endpoint: account.refundDeposit,
    request: { transactionId: 'd', address: 'TXa' },
    record: { depositId: 'd', refundAddress: 'TXa', status: 'in_process' },
    output: { id: 'd' },
    others: [{ depositId: 'e' }, { refundAddress: 'TXb' }, { status: 'canceled' }],
  },
  {
    endpoint: convert.confirmQuote,
    request: { quoteId: '4050' },
    record: { id: '4050', give: '1', receive: '2' },
    output: { finalGive: '1', finalReceive: '2' },
    others: [{ id: '4051' }],
  },
  {
    endpoint: convert.convert,
    request: { from: 'BTC', to: 'EUR', direction: 'from', amount: '1' },
    record: {
      ...{ id: '7', give: '1', receive: '2' },
      path: [
        { from: 'BTC', to: 'USDT' },
        { from: 'USDT', to: 'EUR' },
      ],
    },
    output: { id: '7', finalGive: '1', finalReceive: '2' },
    others: [{ give: '2' }, { path: [{ from: 'BTC', to: 'USDT' }] }, { path: [{ from: 'ETH', to: 'EUR' }] }],
  },
  {
    endpoint: convert.convert,
    request: { from: 'BTC', to: 'EUR', direction: 'to', amount: '2' },
    record: { id: '7', give: '1', receive: '2', path: [{ from: 'BTC', to: 'EUR' }] },
    output: { id: '7', finalGive: '1', finalReceive: '2' },
    others: [{ receive: '1' }, { path: [] }, { path: undefined }],
  },
  {
    endpoint: lending.investFixed,
    request: { planId: 'p', amount: '5' },
    record: { id: 'i', plan: { id: 'p' }, amount: '5' },
    output: { id: 'i' },
    others: [{ plan: { id: 'q' } }, { plan: undefined }, { amount: '6' }],
  },
  {
    endpoint: lending.closeFixedInvestment,
    request: { id: 'i' },
    record: { id: 'i', status: 2 },
    output: [],
    others: [{ id: 'j' }, { status: 1 }],
  },
  {
    endpoint: lending.withdrawFlex,
    request: { plan: 'p', amount: '5' },
    record: { transactionId: 't', planId: 'p', amount: '-5', actionType: 3 },
    output: { transactionId: 't' },
    others: [{ planId: 'q' }, { amount: '-6' }, { actionType: 1 }, { actionType: undefined }],
  },
  {
    endpoint: lending.closeFlexInvestment,
    request: { plan: 'p' },
    record: { transactionId: 't', planId: 'p', actionType: 5 },
    output: { transactionId: 't' },
    others: [{ planId: 'q' }, { actionType: 3 }],
  },
  {
    endpoint: compliance.createAddressCheck,
    request: { asset: 'USDT', address: 'TXa' },
    record: { id: 'c', asset: 'USDT', address: 'TXa' },
    output: { id: 'c' },
    others: [{ asset: 'BTC' }, { address: 'TXb' }],
    same: [{ asset: undefined }, { address: undefined }],
  },
  {
    endpoint: mining.createAccount,
    request: { name: 'rig' },
    record: { name: 'rig', createdAt: 1 },
    output: { name: 'rig', createdAt: 1 },
    others: [{ name: 'rigs' }],
  },
  {
    endpoint: subAccounts.create,
    request: { alias: 'bot', permissions, email: 'Ada@example.com' },
    record: { id: 's', alias: 'bot', permissions, kyc: { shareKyc: false }, email: 'a***@example.com' },
    output: { id: 's', alias: 'bot', permissions, kyc: { shareKyc: false }, email: 'a***@example.com' },
    others: [
      { alias: 'bots' },
      { permissions: { spotEnabled: true, collateralEnabled: true } },
      { permissions: { spotEnabled: false } },
      { kyc: { shareKyc: true } },
      { email: 'b***@example.com' },
      { email: 'a***@example.org' },
    ],
    same: [{ email: undefined }, { email: 'ada@example.com' }, { kyc: undefined }, { permissions: undefined }],
  },
  {
    endpoint: subAccounts.create,
    request: { alias: 'bot', permissions, shareKyc: true },
    record: { id: 's', alias: 'bot', permissions, kyc: { shareKyc: true }, email: '' },
    output: { id: 's', alias: 'bot', permissions, kyc: { shareKyc: true }, email: '' },
    others: [{ kyc: { shareKyc: false } }],
    same: [{ email: 'o***@example.com' }],
  },
  {
    endpoint: subAccounts.transfer,
    request: { id: 's', direction: 'main_to_sub', ticker: 'USDT', amount: '5' },
    record: { transactionId: 't', direction: 'main_to_sub', currency: 'USDT', amount: '5' },
    output: { transactionId: 't' },
    others: [{ direction: 'sub_to_main' }, { currency: 'BTC' }, { amount: '6' }],
  },
];

describe.each(lookups)('the record of $endpoint.name with $request', ({ endpoint, request, record, ...rest }) => {
  const lookup = endpoint.recordLookup;

  it('is found by its values, and gives the output', () => {
    expect(lookup?.matches(record, request, 0)).toBe(true);
    expect(lookup?.outputOf(record)).toEqual(rest.output);
    for (const change of rest.same ?? [])
      expect([change, lookup?.matches({ ...record, ...change }, request, 0)]).toEqual([change, true]);
  });

  it.each(rest.without === undefined ? [] : [rest.without])('may lack %s, and so does the output', (field) => {
    const bare = (values: object) => Object.fromEntries(Object.entries(values).filter(([name]) => name !== field));
    expect(lookup?.outputOf(bare(record))).toEqual(bare(rest.output));
  });

  it.each(rest.others)('is not one with %j', (change) => {
    expect(lookup?.matches({ ...record, ...change }, request, 0)).toBe(false);
  });
});

it('every endpoint that is looked up by a record is among these', () => {
  const looked = allEndpoints.flatMap(({ name, recordLookup }) => (recordLookup === undefined ? [] : [name]));
  const shown = new Set(lookups.map(({ endpoint }) => endpoint.name));
  // They share the lookup of withdraw and withdrawFlex.
  expect(looked.filter((name) => !shown.has(name))).toEqual(['account.withdrawExact', 'lending.investFlex']);
});

it.each([
  ['1.2', '1.20', true],
  ['1.2', '1.2000009', true],
  ['0.12345678', '0.123456789', true],
  ['1.2', '1.27', 'perhaps'],
  ['100', '100.5', 'perhaps'],
  ['10.12', '10.129', 'perhaps'],
  ['0.01', '0.015', 'perhaps'],
  ['1', '1.005', 'perhaps'],
  ['10.12', '10.13', false],
  ['1.3', '1.2', false],
  ['odd', '1', false],
  ['1', undefined, false],
])('%j is the amount of a request of %j, which the exchange may have cut: %j', (shown, requested, isIt) => {
  expect(isAmountOf(shown, requested)).toBe(isIt);
});
