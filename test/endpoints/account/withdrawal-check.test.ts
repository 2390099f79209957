// What the assets and their fees say of a withdrawal, before it is sent.
import { createExchange, type Asset, type AssetFees } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { withdrawalCheck } from '../../../src/endpoints/account/withdrawal-check.js';
import { noteUnreadable } from '../../../src/model/unreadable.js';
import { failureOf } from '../../support/failure.js';

const usdt: Asset = {
  can_withdraw: true,
  networks: { withdraws: ['ERC20', 'TRC20'], default: 'ERC20' },
  limits: { withdraw: { TRC20: { min: '5', max: '100' }, ERC20: { min: '20', max: '0' } } },
};
const assets = {
  USDT: usdt,
  XLM: { is_memo: true, networks: { withdraws: ['XLM'] }, min_withdraw: '1', max_withdraw: '50' },
  TON: { is_memo: true, memo: { withdraw: false } },
  EUR: { providers: { withdraws: ['SEPA'] }, limits: { withdraw: { SEPA: { min: '10' } } } },
  BTC: { can_withdraw: false, networks: { withdraws: ['BTC'] } },
} satisfies Record<string, Asset>;
const fees: Record<string, AssetFees> = {
  'USDT (TRC20)': { withdraw: { fixed: '6' } },
  USDT: { withdraw: { fixed: '25' } },
  XLM: { withdraw: { flex: { percent: '1', min_fee: '2' } } },
  EUR: { withdraw: { SEPA: { fixed: '12' } } },
  BTC: {},
};

const issuesOf = (fields: object, isFeeIncluded = true) =>
  withdrawalCheck(isFeeIncluded)
    .issuesOf({ ...fields }, assets, fees)
    .map(({ field, message }) => `${field} ${message}`);

describe('a withdrawal may be sent', () => {
  it.each([
    [{ ticker: 'USDT', network: 'TRC20', amount: '7' }],
    [{ ticker: 'USDT', network: 'ERC20', amount: '9000', memo: '' }],
    [{ ticker: 'XLM', amount: '50', memo: '7' }],
    [{ ticker: 'TON', amount: '1' }],
    [{ ticker: 'TON', amount: '1', memo: '7' }],
    [{ ticker: 'EUR', amount: '13', provider: 'SEPA' }],
  ])('of %j', (fields) => {
    expect(issuesOf(fields)).toEqual([]);
  });

  it('of an amount that the fee is added to, even if it is not more than the fee', () => {
    const fields = { ticker: 'USDT', network: 'TRC20', amount: '5' };
    expect(issuesOf(fields, false)).toEqual([]);
    expect(issuesOf(fields)).toEqual(['amount must be more than the fee, 6']);
  });

  it('of an asset that is not listed, while a part of the list cannot be read', () => {
    const partial: Record<string, Asset> = {};
    noteUnreadable(partial, { count: 1, sample: 'NEW.networks is not Array' });
    const check = withdrawalCheck(true);
    expect(check.issuesOf({ ticker: 'NEW', amount: '1' }, partial, {})).toEqual([]);
    expect(check.issuesOf({ ticker: 'NEW', amount: '1' }, {}, {})).toMatchObject([{ field: 'ticker' }]);
  });
});

it.each([
  [{ ticker: 'BTC', amount: '1' }, 'ticker BTC cannot be withdrawn now'],
  [{ ticker: 'USDT', amount: '30' }, 'network is required: one of ERC20, TRC20'],
  [{ ticker: 'USDT', network: 'SOL', amount: '30' }, 'network must be one of ERC20, TRC20'],
  [{ ticker: 'EUR', amount: '13' }, 'provider is required: one of SEPA'],
  [{ ticker: 'EUR', amount: '13', provider: 'CARD' }, 'provider must be one of SEPA'],
  [{ ticker: 'XLM', amount: '7' }, 'memo is required: the network needs it to find the recipient'],
  [{ ticker: 'XLM', amount: '7', memo: '' }, 'memo is required: the network needs it to find the recipient'],
  [{ ticker: 'USDT', network: 'TRC20', amount: '7', memo: '7' }, 'memo must be left out: the asset has none'],
  [{ ticker: 'USDT', network: 'TRC20', amount: '4.9' }, 'amount must be at least 5, the minimum withdrawal'],
  [{ ticker: 'USDT', network: 'TRC20', amount: '101' }, 'amount must be at most 100, the maximum withdrawal'],
  [{ ticker: 'XLM', amount: '51', memo: '7' }, 'amount must be at most 50, the maximum withdrawal'],
  [{ ticker: 'EUR', amount: '9', provider: 'SEPA' }, 'amount must be at least 10, the minimum withdrawal'],
  [{ ticker: 'USDT', network: 'TRC20', amount: '6' }, 'amount must be more than the fee, 6'],
  [{ ticker: 'USDT', network: 'ERC20', amount: '25' }, 'amount must be more than the fee, 25'],
  [{ ticker: 'XLM', amount: '2', memo: '7' }, 'amount must be more than the fee, 2'],
  [{ ticker: 'EUR', amount: '12', provider: 'SEPA' }, 'amount must be more than the fee, 12'],
])('a withdrawal of %j is not sent: %s', (fields, issue) => {
  expect(issuesOf(fields)).toContain(issue);
});

it.each([
  ['refuses it', '0.01', {}, { outcome: 'not-executed', issues: [{ field: 'amount' }, { field: 'amount' }] }],
  ['cannot be made', '30', { path: '/api/v4/public/fee' }, { kind: 'unavailable', outcome: 'not-executed' }],
])('no withdrawal is sent when its check %s', async (_, amount, { path }: { path?: string }, failure) => {
  const sandbox = createSandbox();
  if (path !== undefined) sandbox.fault({ kind: 'status', path });
  const exchange = createExchange({ ...sandbox.clientOptions(), allowWithdrawals: true, retry: false });
  const wanted = { ticker: 'USDT', network: 'TRC20', address: 'TAddress', uniqueId: 'w-1', amount };
  expect(await failureOf(exchange.account.withdraw(wanted))).toMatchObject(failure);
  expect(sandbox.ledger.requests.filter(({ path }) => path.endsWith('/withdraw'))).toEqual([]);
});
