// Money on its way: transfers between the wallets of an account, deposits and withdrawals, and their histories.
import { decimal, formatDecimal } from '../../../model/decimal.js';
import type { Wallet } from '../../ledger.js';
import { innerValidationMessage, invalid, Rejection } from '../../rejection.js';
import { jsonResponse, page, per10s, signed, type SignedCall } from '../route.js';
import { assetProfile, isAsset } from './assets.js';
import { requireFields } from './main-account.js';

const rateLimit = per10s(1000);

export const transfersRoutes = [
  signed('/api/v4/main-account/transfer', transfer, { rateLimit }),
  signed('/api/v4/main-account/transfer/history', transfers, { rateLimit, fields: page(100, 100, 10_000) }),
  signed('/api/v4/main-account/withdraw', (call) => withdraw(call, 'included'), { rateLimit }),
  signed('/api/v4/main-account/withdraw-pay', (call) => withdraw(call, 'added'), { rateLimit }),
  signed('/api/v4/main-account/history', transactions, { rateLimit: per10s(200), fields: page(500, 50, 10_000) }),
  signed('/api/v4/main-account/withdrawable-balance', withdrawable, { rateLimit }),
  signed('/api/v4/main-account/fee', fees, { rateLimit }),
];

const wallets: ReadonlyMap<unknown, Wallet> = new Map([
  ['main', 'main'],
  ['spot', 'trade'],
  ['collateral', 'collateral'],
]);
const maxDecimals = 8;

function walletOf({ fields }: SignedCall, name: string): Wallet {
  const wallet = wallets.get(fields.value(name));
  if (wallet === undefined) throw invalid(400, 0, name, `The selected ${name} is invalid.`);
  return wallet;
}

function tickerOf({ state, fields }: SignedCall): string {
  const ticker = fields.textOrEmpty('ticker');
  if (!isAsset(state, ticker)) throw invalid(400, 0, 'ticker', 'The selected ticker is invalid.');
  return ticker;
}

function transfer(call: SignedCall) {
  const { state, account, fields } = call;
  requireFields(fields, 'ticker', 'amount', 'from', 'to');
  const [from, to] = [walletOf(call, 'from'), walletOf(call, 'to')];
  if (from === to) throw invalid(400, 0, 'to', 'The to and from must be different.');
  const asset = tickerOf(call);
  const amount = decimal(fields.amount());
  if (!amount.decimalPlaces(maxDecimals).isEqualTo(amount))
    throw invalid(400, 0, 'amount', `The amount must have at most ${maxDecimals} decimals.`);
  if (!state.wallets.transfer({ account, from, to, asset, amount })) {
    const available = formatDecimal(state.wallets.available(account, from, asset));
    const amounts = `(available ${available}, in amount: ${formatDecimal(amount)})`;
    throw refused(3, 'amount', `You don't have such amount for transfer ${amounts}`);
  }
  return jsonResponse(201, []);
}

function transfers({ state, account, fields }: SignedCall) {
  const [from, to] = [fields.textOrEmpty('from_balance'), fields.textOrEmpty('to_balance')];
  return fields.dataPage(
    state.wallets
      .transfersOf(account)
      .filter((one) => (from === '' || one.from_balance === from) && (to === '' || one.to_balance === to)),
  );
}

const refused = (code: number, field: string, text: string) =>
  new Rejection(422, code, innerValidationMessage, { [field]: [text] });

function withdraw(call: SignedCall, fee: 'included' | 'added') {
  const { state, account, fields } = call;
  requireFields(fields, 'ticker', 'amount', 'address', 'uniqueId');
  const ticker = tickerOf(call);
  const uniqueId = fields.textOrEmpty('uniqueId');
  if (state.wallets.isUsed(account, uniqueId))
    throw invalid(400, 0, 'uniqueId', 'The unique id has already been taken.');
  const { networks, isMemo = false } = assetProfile(ticker);
  const network = networks.find(({ name }) => name === (fields.text('network') ?? networks[0]?.name));
  if (network === undefined) throw refused(1, 'ticker', 'This currency is not withdrawable');
  const memo = fields.text('memo');
  if (isMemo && memo === undefined) throw refused(2, 'memo', 'The memo field is required.');
  const given = decimal(fields.amount());
  if (given.isLessThan(network.minWithdraw)) throw refused(3, 'amount', 'Amount is too small.');
  const withdrawal = {
    ...{ account, asset: ticker, network: network.name, address: fields.textOrEmpty('address'), memo, uniqueId },
    amount: fee === 'included' ? given : given.plus(network.withdrawFee),
    fee: decimal(network.withdrawFee),
    needsConfirmation: state.registry.subAccounts.isSubAccount(account),
  };
  if (!state.wallets.withdraw(withdrawal)) throw refused(5, 'amount', 'Not enough money.');
  return jsonResponse(201, []);
}

type Listed = ReturnType<SignedCall['state']['wallets']['transactionsOf']>[number];

/** Both names of an identifier are read. */
function transactions({ state, account, fields }: SignedCall) {
  const method = fields.value('transactionMethod');
  const [ticker, uniqueId] = [(one: Listed) => one.ticker, (one: Listed) => one.uniqueId];
  const found = fields
    .matching(state.wallets.transactionsOf(account), { ticker, uniqueId, unique_id: uniqueId })
    .filter((one) => method === undefined || one.method === Number(method));
  return { ...fields.page(found), total: found.length };
}

function withdrawable({ state, account }: SignedCall) {
  const assets = Object.keys(state.books.wallet(account, 'main'));
  const amounts = assets.map((asset) => [asset, state.wallets.withdrawable(account, asset)] as const);
  const stable = amounts.find(([asset]) => asset === 'USDT')?.[1];
  return {
    availableBalanceStable: formatDecimal(stable ?? decimal(0)),
    assets: Object.fromEntries(amounts.map(([asset, amount]) => [asset, formatDecimal(amount)])),
  };
}

function fees({ state }: SignedCall) {
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
