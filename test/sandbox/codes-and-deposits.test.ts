// Deposit addresses, refunds of canceled deposits, codes and payment pages: what the sandbox keeps of them.
import type { ApiErrorReason, Exchange } from 'exchange-rx';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { inspect } from 'node:util';
import { defer, lastValueFrom, toArray, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { clientOf, sendRaw } from '../contract/setup.js';
import { failureOf } from '../support/failure.js';
import { useFakeTimers } from '../support/fake-timers.js';

useFakeTimers();

function world(options: SandboxOptions = {}) {
  const sandbox = createSandbox({
    ...options,
    ...{ clock: 'manual', tickMs: 60_000, volatility: 0, history: 0 },
    accounts: [{ name: 'main' }, { name: 'other', balances: { main: { USDT: '5' } } }, { name: 'third' }],
  });
  const accountOf = (name: string) => clientOf(sandbox, name, { allowWithdrawals: true }).account;
  return { sandbox, accountOf, main: accountOf('main'), other: accountOf('other') };
}

type World = ReturnType<typeof world>;

/** The result, while the sandbox's clock runs. */
async function resultOf<Value>({ sandbox }: World, value$: Observable<Value>): Promise<Value> {
  const call = { isDone: false };
  const result = lastValueFrom(value$).finally(() => {
    call.isDone = true;
  });
  result.catch(() => undefined);
  while (!call.isDone) {
    await vi.advanceTimersByTimeAsync(100);
    sandbox.clock.advance(100);
  }
  return result;
}

const errorOf = (world: World, value$: Observable<unknown>) => failureOf(defer(() => resultOf(world, value$)));

const usdtOf = ({ sandbox }: World) =>
  ['main', 'other'].map((name) => sandbox.ledger.balances(name).main['USDT'] ?? '0');

const address = 'TQ1vNh5Eq2ys9sA2mJrGzRsbdHVnYs3kbb';

describe('a code', () => {
  it('debits the main balance that creates it, and credits the one that redeems it', async () => {
    const exchange = world();
    const { main, other } = exchange;
    const { code, external_id } = await resultOf(exchange, main.createCode({ ticker: 'USDT', amount: '25.5' }));
    expect(usdtOf(exchange)).toEqual(['24975.25', '5']);
    const { message: _message, ...applied } = await resultOf(exchange, other.applyCode({ code }));
    expect(applied).toEqual({ ticker: 'USDT', amount: '25.5', external_id });
    expect(usdtOf(exchange)).toEqual(['24975.25', '30.5']);
    const changes = exchange.sandbox.ledger.balanceChanges.filter(({ reason }) => reason === 'code');
    expect(changes.map(({ account, delta }) => `${account} ${delta}`)).toEqual(['main -25.5', 'other 25.5']);
  });

  it('is listed to both accounts, newest first, with its sign and state', async () => {
    const exchange = world();
    const { main, other } = exchange;
    const first = await resultOf(exchange, main.createCode({ ticker: 'USDT', amount: '1' }));
    exchange.sandbox.clock.advance(5000);
    const second = await resultOf(exchange, main.createCode({ ticker: 'BTC', amount: '0.5' }));
    await resultOf(exchange, other.applyCode({ code: first.code }));
    const mine = await resultOf(exchange, main.listAllMyCodes().pipe(toArray()));
    const listed = mine.map(({ code, amount, status }) => [code, amount, status].join(' '));
    expect(listed).toEqual([`${second.code} 0.5 New`, `${first.code} 1 Activated`]);
    const amountsOf = async ({ listAllCodeHistory }: Exchange['account']) =>
      (await resultOf(exchange, listAllCodeHistory().pipe(toArray()))).map(({ amount }) => amount);
    expect(await amountsOf(main)).toEqual(['-0.5', '-1']);
    expect(await amountsOf(other)).toEqual(['1']);
  });

  it.each<readonly [string, (world: World, code: string) => Observable<unknown>, ApiErrorReason, string]>([
    ['an unknown code', ({ other }) => other.applyCode({ code: 'WB-none' }), 'other', 'code'],
    ['a wrong passphrase', ({ other }, code) => other.applyCode({ code, passphrase: 'x' }), 'other', 'code'],
    ['a code of its own', ({ main }, code) => main.applyCode({ code, passphrase: 'right' }), 'other', 'code'],
    [
      'more than the balance',
      ({ other }) => other.createCode({ ticker: 'USDT', amount: '5.01' }),
      'insufficient-balance',
      'amount',
    ],
    ['an unknown asset', ({ other }) => other.createCode({ ticker: 'NONE', amount: '1' }), 'other', 'ticker'],
  ])('is refused for %s, and no balance changes', async (_, call, reason, field) => {
    const exchange = world();
    const made = { ticker: 'USDT', amount: '1', passphrase: 'right' };
    const { code } = await resultOf(exchange, exchange.main.createCode(made));
    const before = usdtOf(exchange);
    const error = await errorOf(exchange, call(exchange, code));
    expect(error).toMatchObject({ kind: 'api', reason, outcome: 'rejected', errors: { [field]: ['[hidden]'] } });
    expect(usdtOf(exchange)).toEqual(before);
  });

  it('is redeemed once: a second request finds its redemption, and another account is refused', async () => {
    const exchange = world();
    const { code } = await resultOf(exchange, exchange.main.createCode({ ticker: 'USDT', amount: '1' }));
    await resultOf(exchange, exchange.other.applyCode({ code }));
    const again = await resultOf(exchange, exchange.accountOf('other').applyCode({ code }));
    expect(again).toMatchObject({ ticker: 'USDT', amount: '1' });
    const refused = await errorOf(exchange, exchange.accountOf('third').applyCode({ code }));
    expect(refused).toMatchObject({ kind: 'api', outcome: 'rejected' });
    expect(usdtOf(exchange)).toEqual(['24999.75', '6']);
  });

  it('is in no error and no ledger, nor is its passphrase', async () => {
    const exchange = world();
    const { main, other, sandbox } = exchange;
    const passphrase = 'the-secret-phrase';
    const { code } = await resultOf(exchange, main.createCode({ ticker: 'USDT', amount: '1', passphrase }));
    const refused = await errorOf(exchange, main.applyCode({ code, passphrase }));
    const invalid = await errorOf(exchange, other.applyCode({ code: `${code} `, passphrase }));
    const shown = inspect([refused, invalid, sandbox.ledger], { depth: 9, getters: true, showHidden: true });
    expect(shown).not.toContain(code);
    expect(shown).not.toContain(passphrase);
  });
});

/** One movement of each kind, and what it did. */
const movements = [
  {
    name: 'createCode',
    path: '/api/v4/main-account/codes',
    prepare: () => Promise.resolve('25'),
    call: ({ main }: World, amount: string): Observable<object> => main.createCode({ ticker: 'USDT', amount }),
    found: { code: expect.stringMatching(/^WB.*USDT$/) as string },
    effects: ({ sandbox }: World) => sandbox.ledger.balanceChanges.filter(({ delta }) => delta === '-25').length,
  },
  {
    name: 'applyCode',
    path: '/api/v4/main-account/codes/apply',
    prepare: async (world: World) =>
      (await resultOf(world, world.main.createCode({ ticker: 'USDT', amount: '25' }))).code,
    call: ({ other }: World, code: string): Observable<object> => other.applyCode({ code }),
    found: { ticker: 'USDT', amount: '25' },
    effects: ({ sandbox }: World) =>
      sandbox.ledger.balanceChanges.filter(({ delta, account }) => account === 'other' && delta === '25').length,
  },
  {
    name: 'refundDeposit',
    path: '/api/v4/main-account/refund-deposit',
    prepare: ({ sandbox }: World) => Promise.resolve(sandbox.account('main').cancelDeposit('USDT', '120', 'TRC20')),
    call: ({ main }: World, transactionId: string): Observable<object> =>
      main.refundDeposit({ transactionId, address }),
    found: { id: expect.any(String) as string },
    effects: async (world: World) => (await resultOf(world, world.main.refundHistory())).records.length,
  },
];

describe.each(movements)('$name', ({ path, prepare, call, found, effects }) => {
  it.each([
    ['its response is lost', { kind: 'status', executed: true }],
    ['its response is truncated', { kind: 'truncated' }],
    ['the connection is lost after it was executed', { kind: 'reset', executed: true }],
    ['it is executed late', { kind: 'late-execution', delayMs: 4000 }],
  ] as const)('is executed once, and found, when %s', async (_, fault) => {
    const exchange = world();
    const subject = await prepare(exchange);
    exchange.sandbox.fault({ ...fault, path });
    expect(await resultOf(exchange, call(exchange, subject))).toMatchObject(found);
    expect(await effects(exchange)).toBe(1);
    const met = exchange.sandbox.ledger.requests.filter((request) => request.path === path && request.fault);
    expect(met).toHaveLength(1);
  });

  it('is reported as not executed when it never arrived, and no other is sent', async () => {
    const exchange = world();
    const subject = await prepare(exchange);
    exchange.sandbox.fault({ kind: 'reset', path });
    expect(await errorOf(exchange, call(exchange, subject))).toMatchObject({ kind: 'lookup', outcome: 'not-executed' });
    expect(await effects(exchange)).toBe(0);
  });
});

describe('a refund', () => {
  it('takes the fee of the network, is in process for a while, and touches no balance', async () => {
    const exchange = world();
    const { main, sandbox } = exchange;
    const transactionId = sandbox.account('main').cancelDeposit('USDT', '120', 'TRC20');
    const before = sandbox.ledger.balances('main');
    expect(await resultOf(exchange, main.refundDeposit({ transactionId, address }))).toEqual({ id: transactionId });
    const listed = async () => (await resultOf(exchange, main.refundHistory({ ticker: 'usdt' }))).records;
    const [waiting] = await listed();
    expect(waiting).toMatchObject({ depositId: transactionId, refundAmount: '119', status: 'in_process' });
    expect(waiting).not.toHaveProperty('refundHash');
    sandbox.clock.advance(60_000);
    expect(await listed()).toMatchObject([{ status: 'successful', refundAddress: address, network: 'TRC20' }]);
    expect(sandbox.ledger.balances('main')).toEqual(before);
  });

  it('of a deposit that was refunded is found, and to another address refused', async () => {
    const exchange = world();
    const transactionId = exchange.sandbox.account('main').cancelDeposit('BTC', '0.5');
    const refundTo = (to: string) => exchange.accountOf('main').refundDeposit({ transactionId, address: to });
    await resultOf(exchange, refundTo(address));
    expect(await resultOf(exchange, refundTo(address.toLowerCase()))).toEqual({ id: transactionId });
    expect(await errorOf(exchange, refundTo('another'))).toMatchObject({ kind: 'api', outcome: 'rejected' });
    expect((await resultOf(exchange, exchange.main.refundHistory())).records).toHaveLength(1);
  });

  it.each([
    ['is not of the account', ({ sandbox }: World) => sandbox.account('other').cancelDeposit('BTC', '1')],
    ['is not above the fee', ({ sandbox }: World) => sandbox.account('main').cancelDeposit('BTC', '0.0004')],
  ])('is refused when the deposit %s', async (_, cancel) => {
    const exchange = world();
    const refund$ = exchange.main.refundDeposit({ transactionId: cancel(exchange), address });
    expect(await errorOf(exchange, refund$)).toMatchObject({ kind: 'api', status: 400, outcome: 'rejected' });
  });

  it('and a code need allowWithdrawals', async () => {
    const { account } = clientOf(createSandbox());
    const transactionId = '9d2f1c2e-6c0f-4b0f-8f0c-6b4a5d0f7c11';
    const refund$ = account.refundDeposit({ transactionId, address });
    for (const call$ of [refund$, account.createCode({ ticker: 'BTC', amount: '1' })])
      expect(await failureOf(call$)).toMatchObject({ kind: 'request', issues: [{ field: 'allowWithdrawals' }] });
  });
});

it('a deposit address is permanent for an asset and a network, and another one is made on request', async () => {
  const exchange = world();
  const { main } = exchange;
  const addressOf = async (ticker: string, network?: string) =>
    (await resultOf(exchange, main.depositAddress(network === undefined ? { ticker } : { ticker, network }))).account;
  const first = await addressOf('USDT', 'TRC20');
  expect(await addressOf('USDT', 'TRC20')).toEqual(first);
  const created = await resultOf(exchange, main.createDepositAddress({ ticker: 'USDT', network: 'TRC20' }));
  const all = [first, await addressOf('USDT', 'ERC20'), await addressOf('USDT'), created.account];
  expect(new Set(all.map((one) => one.address)).size).toBe(3);
  expect((await addressOf('XLM')).memo).toMatch(/^\d+$/);
  expect(await errorOf(exchange, main.depositAddress({ ticker: 'USDT', network: 'BTC' }))).toMatchObject({
    exchangeMessage: 'Validation failed',
    errors: { network: ['The selected network is invalid.'] },
  });
});

it('a refund of an asset with a memo needs one', async () => {
  const exchange = world();
  const transactionId = exchange.sandbox.account('main').cancelDeposit('XLM', '5');
  const refund = (memo: string | undefined) =>
    sendRaw(exchange, '/api/v4/main-account/refund-deposit', { transactionId, address, memo });
  const errors = { memo: ['The memo field is required.'] };
  expect(await refund(undefined)).toMatchObject({ status: 400, body: { errors } });
  expect(await refund('7')).toEqual({ status: 200, body: { id: transactionId } });
});

it('codes that were redeemed long ago are forgotten, and those that were not are kept', async () => {
  const exchange = world({ retentionMs: 60_000 });
  const codes = [];
  for (const amount of ['1', '2'])
    codes.push(await resultOf(exchange, exchange.main.createCode({ ticker: 'USDT', amount })));
  await resultOf(exchange, exchange.other.applyCode({ code: codes[0]?.code ?? '' }));
  exchange.sandbox.clock.advance(120_001);
  expect((await resultOf(exchange, exchange.main.myCodes())).data.map(({ amount }) => amount)).toEqual(['2']);
});

describe('a payment page', () => {
  it('of an express payment is the same for 90 s, and its key is bound to its terms', async () => {
    const exchange = world();
    const pageOf = (amount: string) =>
      exchange.main.createExpressPayment({ ticker: 'USDT', amount, externalId: 'i-1' });
    const first = await resultOf(exchange, pageOf('40'));
    expect(await resultOf(exchange, pageOf('40.0'))).toEqual(first);
    expect(await errorOf(exchange, pageOf('41'))).toMatchObject({ reason: 'duplicate', code: 18 });
    expect(await errorOf(exchange, pageOf('10001'))).toMatchObject({ reason: 'amount', code: 191 });
    exchange.sandbox.clock.advance(91_000);
    expect((await resultOf(exchange, pageOf('41'))).url).not.toBe(first.url);
  });

  it('of a fiat deposit takes its key once, and a lost one is unknown', async () => {
    const exchange = world();
    const pageOf = (uniqueId: string) =>
      exchange.main.createFiatDeposit({ ticker: 'UAH', provider: 'CHECKOUT', amount: '500', uniqueId });
    expect((await resultOf(exchange, pageOf('a'))).url).toMatch(/^https:/);
    expect(await errorOf(exchange, pageOf('a'))).toMatchObject({ reason: 'duplicate', outcome: 'rejected' });
    exchange.sandbox.fault({ kind: 'status', executed: true, path: '/api/v4/main-account/fiat-deposit-url' });
    expect(await errorOf(exchange, pageOf('b'))).toMatchObject({ outcome: 'unknown' });
  });
});
