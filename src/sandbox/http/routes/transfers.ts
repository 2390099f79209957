// Money on its way: transfers between the wallets of an account, deposits and withdrawals, and their histories.
import { decimal, formatDecimal } from '../../../model/decimal.js';
import { walletNames } from '../../books.js';
import { unixSeconds } from '../../clock.js';
import type { Wallet } from '../../ledger.js';
import { invalid, refused } from '../../rejection.js';
import { confirmationsOf, statuses, statusOf } from '../../wallets.js';
import type { Transaction } from '../../records.js';
import { per10s } from '../rate-limiter.js';
import { jsonResponse, page, type Call } from '../route.js';
import { assetProfile, networkOf, tickerOf } from './assets.js';
import { amountToTransfer, money } from './main-account.js';

const withdrawal = { required: ['ticker', 'amount', 'address', 'uniqueId'] };

export const transfersRoutes = [
  money('transfer', transfer, { required: ['ticker', 'amount', 'from', 'to'] }),
  money('transfer/history', transfers, { fields: page(100, 100, 10_000) }),
  money('withdraw', (call) => withdraw(call, 'included'), withdrawal),
  money('withdraw-pay', (call) => withdraw(call, 'added'), withdrawal),
  money('history', transactions, { rateLimit: per10s(200), fields: page(500, 50, 10_000) }),
  money('withdrawable-balance', withdrawable),
  money('fee', fees),
];

function walletOf({ fields }: Call, name: string): Wallet {
  const wallet = walletNames.find((known) => nameOf(known) === fields.value(name));
  if (wallet === undefined) throw invalid(400, 0, name, `The selected ${name} is invalid.`);
  return wallet;
}

function transfer(call: Call) {
  const { state, account } = call;
  const [from, to] = [walletOf(call, 'from'), walletOf(call, 'to')];
  if (from === to) throw invalid(400, 0, 'to', 'The to and from must be different.');
  const asset = tickerOf(call);
  const amount = amountToTransfer(call, 'must');
  if (!state.wallets.transfer({ account, from, to, asset, amount })) {
    const available = formatDecimal(state.wallets.available(account, from, asset));
    const amounts = `(available ${available}, in amount: ${formatDecimal(amount)})`;
    throw refused(3, 'amount', `You don't have such amount for transfer ${amounts}`);
  }
  return jsonResponse(201, []);
}

function transfers({ state, account, fields }: Call) {
  const [from, to] = [fields.textOrEmpty('from_balance'), fields.textOrEmpty('to_balance')];
  const found = state.records.transfers
    .of(account)
    .map(({ id, asset: currency, amount, at, ...one }) => {
      const [from_balance, to_balance] = [nameOf(one.from), nameOf(one.to)];
      return { id, currency, amount, from_balance, to_balance, created_at: unixSeconds(at) };
    })
    .filter((one) => (from === '' || one.from_balance === from) && (to === '' || one.to_balance === to));
  return fields.dataPage(found);
}

/** The exchange calls the trade balance `spot`. */
function nameOf(wallet: Wallet): 'main' | 'spot' | 'collateral' {
  return wallet === 'trade' ? 'spot' : wallet;
}

function withdraw(call: Call, fee: 'included' | 'added') {
  const { state, account, fields } = call;
  const asset = tickerOf(call);
  const [uniqueId, address] = [fields.textOrEmpty('uniqueId'), fields.textOrEmpty('address')];
  if (state.wallets.isUsed(account, uniqueId))
    throw invalid(400, 0, 'uniqueId', 'The unique id has already been taken.');
  const network = networkOf(asset, fields.text('network'));
  if (network === undefined) throw refused(1, 'ticker', 'This currency is not withdrawable');
  const memo = fields.text('memo');
  if (assetProfile(asset).isMemo === true && memo === undefined)
    throw refused(2, 'memo', 'The memo field is required.');
  const given = decimal(fields.amount());
  if (given.isLessThan(network.minWithdraw)) throw refused(3, 'amount', 'Amount is too small.');
  const amount = fee === 'included' ? given : given.plus(network.withdrawFee);
  const terms = { account, asset, network: network.name, address, memo, uniqueId, fee: decimal(network.withdrawFee) };
  const isOfSubAccount = [...state.records.subAccounts].some((one) => one.account === account);
  if (!state.wallets.withdraw({ ...terms, amount }, isOfSubAccount)) throw refused(5, 'amount', 'Not enough money.');
  return jsonResponse(201, []);
}

/** Deposits (method 1) and withdrawals (method 2). Both names of an identifier are read. */
function transactions({ state, account, fields }: Call) {
  const now = state.clock.now();
  const method = fields.value('transactionMethod');
  const uniqueId = (one: Transaction) => (one.method === 2 ? one.uniqueId : null);
  const found = fields
    .matching(state.records.transactions.of(account), { ticker: ({ asset }) => asset, uniqueId, unique_id: uniqueId })
    .filter((one) => method === undefined || one.method === Number(method))
    .map((one) => {
      const { address, memo = '', at, asset, method, amount, fee, network, hash, transactionId } = one;
      const status = statusOf(one, now);
      const isSent = one.method === 1 || status === statuses.successful;
      return {
        ...{ address, uniqueId: uniqueId(one), createdAt: unixSeconds(at), currency: asset, ticker: asset, method },
        ...{ amount, description: '', memo, fee, status, network, transactionHash: isSent ? hash : '', transactionId },
        details: null,
        confirmations: one.method === 1 ? { actual: confirmationsOf(one, now), required: one.confirmations } : null,
      };
    });
  return { ...fields.page(found), total: found.length };
}

function withdrawable({ state, account }: Call) {
  const assets = Object.keys(state.books.wallet(account, 'main'));
  return {
    availableBalanceStable: state.wallets.withdrawable(account, 'USDT'),
    assets: Object.fromEntries(assets.map((asset) => [asset, state.wallets.withdrawable(account, asset)])),
  };
}

function fees({ state }: Call) {
  return state.books.assets().flatMap((ticker) => {
    const { name, networks } = assetProfile(ticker);
    const feeOf = (fixed: string, minAmount: string) => ({
      ...{ minFlex: '0', maxFlex: '0', percentFlex: '0', fixed, minAmount, maxAmount: '0' },
    });
    // Of the default network.
    return networks.slice(0, 1).map(({ minDeposit, minWithdraw, withdrawFee }) => ({
      ...{ ticker, name, can_deposit: true, can_withdraw: true },
      ...{ deposit: feeOf('0', minDeposit), withdraw: feeOf(withdrawFee, minWithdraw) },
    }));
  });
}
