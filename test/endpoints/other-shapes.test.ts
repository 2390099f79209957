// Responses that sources show in several shapes: each reads as the published one.
import type { Endpoint } from 'exchange-rx';
import { account, apiKeys, mining, subAccounts } from 'exchange-rx/endpoints';
import * as v from 'valibot';
import { expect, it } from 'vitest';

const balance = { main: '42', spot: '10', collateral: '14' };
const transferred = { transactionId: 't', direction: 'main_to_sub', currency: 'USDT', amount: '5', createdAt: 1 };
const key = { id: 'k', title: 'bot' };
const code = { code: 'WBc0de', ticker: 'USDT', date: 1 };

it.each<readonly [what: string, endpoint: Endpoint, given: unknown, read: unknown]>([
  ['an object for a list of one', subAccounts.balances, { USDT: balance }, { USDT: balance }],
  ['a plain list', subAccounts.transferHistory, [transferred], { data: [transferred] }],
  ['an empty list', subAccounts.transfer, [], {}],
  ['snake case', subAccounts.transfer, { transaction_id: 't' }, { transactionId: 't' }],
  ['a plain list', apiKeys.list, [key], { data: [key] }],
  ['workers without an envelope', mining.workerNames, { workers: ['a'] }, { workers: ['a'] }],
  ['an amount with a plus', account.codeHistory, { data: [{ ...code, amount: '+5' }] }, { data: [{ amount: '5' }] }],
  ['an amount as a number', account.codeHistory, { data: [{ ...code, amount: -5 }] }, { data: [{ amount: '-5' }] }],
])('%s is a response of $name', (_, { response }, given, read) => {
  expect(v.parse(response, given)).toMatchObject(read as object);
});
