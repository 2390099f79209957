// ccxt moves money on the served sandbox: transfers, withdrawals, deposits, conversions; compared with the ledger. Its class
// for the exchange has no fetchTransfers.
import { describe, expect, it } from 'vitest';
import { hasCcxt, serve, type Served } from '../support/ccxt.js';

const balances = { main: { USDT: '500', XLM: '100' }, trade: { USDT: '300', BTC: '1' } };
const accounts = [{ name: 'main', balances }];

const usdtOf = ({ sandbox }: Served) => {
  const { main, trade, collateral } = sandbox.ledger.balances();
  return { main: main['USDT'], trade: trade['USDT'], collateral: collateral['USDT'] };
};
const changesOf = ({ sandbox }: Served, wanted: string) =>
  sandbox.ledger.balanceChanges.filter(({ reason }) => reason === wanted);

describe.skipIf(!hasCcxt)('ccxt on the served sandbox', () => {
  it.each([
    ['main', 'spot', { main: '440', trade: '360' }],
    ['spot', 'margin', { main: '500', trade: '240', collateral: '60' }],
    ['trade', 'funding', { main: '560', trade: '240' }],
  ])('transfer: from %s to %s', async (from, to, after) => {
    const served = await serve({ accounts });
    expect(await served.call('transfer', 'USDT', 60, from, to)).toMatchObject({ info: [], currency: 'USDT' });
    served.sandbox.clock.advance(2000);
    expect(usdtOf(served)).toMatchObject(after);
  });

  it('withdraw, fetchWithdrawals, fetchTransactions: a withdrawal from its request until it is done', async () => {
    const served = await serve({ accounts });
    const { call, sandbox } = served;
    const params = { network: 'TRC20', uniqueId: 'w-1' };
    expect(await call('withdraw', 'USDT', 60, 'TXaddress', undefined, params)).toMatchObject({ id: 'w-1' });
    const [debit] = changesOf(served, 'withdrawal');
    expect(usdtOf(served).main).toBe('440');
    const withdrawal = {
      ...{ id: 'w-1', type: 'withdrawal', currency: 'USDT', amount: -Number(debit?.delta), network: 'TRC20' },
      ...{ addressTo: 'TXaddress', fee: { cost: 1, currency: 'USDT' } },
      timestamp: Math.floor((debit?.at ?? 0) / 1000) * 1000,
    };
    expect(await call('fetchWithdrawals', 'USDT')).toMatchObject([{ ...withdrawal, status: 'pending' }]);
    sandbox.clock.advance(30_000);
    expect(await call('fetchWithdrawals')).toMatchObject([{ ...withdrawal, status: 'ok' }]);
    expect(await call('fetchTransactions')).toMatchObject([withdrawal]);
    expect(await call('fetchDeposits')).toEqual([]);
  });

  it('throws InsufficientFunds for a transfer, and ExchangeError for a withdrawal, of more than the balance has', async () => {
    const { call, sandbox } = await serve({ accounts });
    const transfer = call('transfer', 'USDT', 501, 'main', 'spot');
    await expect(transfer).rejects.toMatchObject({ name: 'InsufficientFunds' });
    const withdrawal = call('withdraw', 'USDT', 501, 'TXaddress', undefined, { network: 'TRC20' });
    const message = expect.stringContaining('Not enough money') as string;
    await expect(withdrawal).rejects.toMatchObject({ name: 'ExchangeError', message });
    expect(sandbox.ledger.balanceChanges.every(({ reason }) => reason === 'deposit')).toBe(true);
  });

  it('fetchTransactionFees: the fee that a withdrawal pays', async () => {
    const { call } = await serve({ accounts });
    const fees = await call('fetchTransactionFees');
    expect(fees).toMatchObject({ withdraw: { XLM: '0.1', 'USDT (TRC20)': '1', 'USDT (ERC20)': '4' } });
    await call('withdraw', 'XLM', 60, 'GXaddress', '4711');
    await call('withdraw', 'USDT', 60, 'TXaddress', undefined, { network: 'TRC20' });
    expect(await call('fetchWithdrawals')).toMatchObject([
      { currency: 'USDT', fee: { cost: 1 } },
      { currency: 'XLM', tag: '4711', fee: { cost: 0.1 } },
    ]);
  });

  it('fetchDepositAddress, createDepositAddress: the permanent address, and another one', async () => {
    const { call } = await serve({ accounts });
    const permanent = await call('fetchDepositAddress', 'XLM');
    expect(permanent).toMatchObject({ currency: 'XLM', tag: expect.stringMatching(/^\d+$/) as string });
    expect(await call('fetchDepositAddress', 'XLM', { network: 'XLM' })).toMatchObject(permanent as object);
    const { address } = permanent as { readonly address: string };
    expect(await call('createDepositAddress', 'XLM')).not.toMatchObject({ address });
    const ofTron = await call('fetchDepositAddress', 'USDT', { network: 'TRC20' });
    expect(await call('fetchDepositAddress', 'USDT')).not.toMatchObject(ofTron as object);
  });

  it('fetchDeposits: a deposit while it is confirmed, at the address of the account', async () => {
    const served = await serve({ accounts });
    const { call, sandbox } = served;
    const { address } = (await call('fetchDepositAddress', 'USDT', { network: 'TRC20' })) as {
      readonly address: string;
    };
    const txid = sandbox.account('main').receiveDeposit('USDT', '25', 'TRC20');
    const deposit = { txid, type: 'deposit', currency: 'USDT', amount: 25, network: 'TRC20', address };
    expect(await call('fetchDeposits', 'USDT')).toMatchObject([{ ...deposit, status: 'pending' }]);
    expect(usdtOf(served).main).toBe('500');
    sandbox.clock.advance(5000);
    expect(await call('fetchDeposits')).toMatchObject([{ ...deposit, status: 'ok' }]);
    expect(await call('fetchWithdrawals')).toEqual([]);
    expect(usdtOf(served).main).toBe('525');
  });

  it('fetchConvertQuote, createConvertTrade, fetchConvertTradeHistory: a conversion, once', async () => {
    const served = await serve({ accounts });
    const { call, sandbox } = served;
    const quote = (await call('fetchConvertQuote', 'BTC', 'USDT', 0.5)) as {
      readonly id: string;
      readonly toAmount: number;
      readonly price: number;
    };
    expect(quote).toMatchObject({ fromCurrency: 'BTC', fromAmount: 0.5, toCurrency: 'USDT' });
    expect(quote.toAmount).toBeCloseTo(0.5 * quote.price, 2);
    expect(changesOf(served, 'conversion')).toEqual([]);
    const made = { fromCurrency: 'BTC', fromAmount: 0.5, toCurrency: 'USDT', toAmount: quote.toAmount };
    expect(await call('createConvertTrade', quote.id, 'BTC', 'USDT')).toMatchObject(made);
    const { trade } = sandbox.ledger.balances();
    expect([trade['BTC'], Number(trade['USDT'])]).toEqual(['0.5', 300 + quote.toAmount]);
    await expect(call('createConvertTrade', quote.id, 'BTC', 'USDT')).rejects.toMatchObject({ name: 'ExchangeError' });
    // ccxt sends `until` as a number, and the exchange takes strings of digits.
    const now = sandbox.clock.now();
    const to = String(Math.floor(now / 1000) + 60);
    expect(await call('fetchConvertTradeHistory', 'BTC', now - 60_000, 10, { to })).toMatchObject([made]);
    expect(changesOf(served, 'conversion')).toHaveLength(2);
  });
});
