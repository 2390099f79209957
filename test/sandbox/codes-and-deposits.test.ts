// Deposit addresses, refunds of canceled deposits, codes and payment pages: what the sandbox keeps of them.
import type { ApiErrorReason, Exchange } from 'exchange-rx';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
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

  /** The result, while the sandbox's clock runs. */
  async function resultOf<Value>(value$: Observable<Value>): Promise<Value> {
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
  const errorOf = (value$: Observable<unknown>) => failureOf(defer(() => resultOf(value$)));
  const usdt = () => ['main', 'other'].map((name) => sandbox.ledger.balances(name).main['USDT'] ?? '0');
  return { sandbox, accountOf, main: accountOf('main'), other: accountOf('other'), resultOf, errorOf, usdt };
}

type World = ReturnType<typeof world>;

const address = 'TQ1vNh5Eq2ys9sA2mJrGzRsbdHVnYs3kbb';

describe('a code', () => {
  it('debits the main balance that creates it, and credits the one that redeems it', async () => {
    const { sandbox, main, other, resultOf, usdt } = world();
    const { code, external_id } = await resultOf(main.createCode({ ticker: 'USDT', amount: '25.5' }));
    expect(usdt()).toEqual(['24975.25', '5']);
    const { message: _message, ...applied } = await resultOf(other.applyCode({ code }));
    expect(applied).toEqual({ ticker: 'USDT', amount: '25.5', external_id });
    expect(usdt()).toEqual(['24975.25', '30.5']);
    const changes = sandbox.ledger.balanceChanges.filter(({ reason }) => reason === 'code');
    expect(changes.map(({ account, delta }) => `${account} ${delta}`)).toEqual(['main -25.5', 'other 25.5']);
  });

  it('is listed to both accounts, newest first, with its sign and state', async () => {
    const { sandbox, main, other, resultOf } = world();
    const first = await resultOf(main.createCode({ ticker: 'USDT', amount: '1' }));
    sandbox.clock.advance(5000);
    const second = await resultOf(main.createCode({ ticker: 'BTC', amount: '0.5' }));
    await resultOf(other.applyCode({ code: first.code }));
    const mine = await resultOf(main.listAllMyCodes().pipe(toArray()));
    const listed = mine.map(({ code, amount, status }) => [code, amount, status].join(' '));
    expect(listed).toEqual([`${second.code} 0.5 New`, `${first.code} 1 Activated`]);
    const amountsOf = async ({ listAllCodeHistory }: Exchange['account']) =>
      (await resultOf(listAllCodeHistory().pipe(toArray()))).map(({ amount }) => amount);
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
    const { code } = await exchange.resultOf(exchange.main.createCode(made));
    const before = exchange.usdt();
    const error = await exchange.errorOf(call(exchange, code));
    expect(error).toMatchObject({ kind: 'api', reason, outcome: 'rejected', errors: { [field]: ['[hidden]'] } });
    expect(exchange.usdt()).toEqual(before);
  });

  it('is redeemed once: a second request finds its redemption, and another account is refused', async () => {
    const { accountOf, main, other, resultOf, errorOf, usdt } = world();
    const { code } = await resultOf(main.createCode({ ticker: 'USDT', amount: '1' }));
    await resultOf(other.applyCode({ code }));
    const again = await resultOf(accountOf('other').applyCode({ code }));
    expect(again).toMatchObject({ ticker: 'USDT', amount: '1' });
    const refused = await errorOf(accountOf('third').applyCode({ code }));
    expect(refused).toMatchObject({ kind: 'api', outcome: 'rejected' });
    expect(usdt()).toEqual(['24999.75', '6']);
  });
});

/** One movement of each kind, and what it did. */
const movements = [
  {
    name: 'createCode',
    path: '/api/v4/main-account/codes',
    prepare: ({ main }: World): Observable<object> => main.createCode({ ticker: 'USDT', amount: '25' }),
    found: { code: expect.stringMatching(/^WB.*USDT$/) as string },
    effects: ({ sandbox }: World) => sandbox.ledger.balanceChanges.filter(({ delta }) => delta === '-25').length,
  },
  {
    name: 'applyCode',
    path: '/api/v4/main-account/codes/apply',
    prepare: async ({ main, other, resultOf }: World): Promise<Observable<object>> => {
      const { code } = await resultOf(main.createCode({ ticker: 'USDT', amount: '25' }));
      return other.applyCode({ code });
    },
    found: { ticker: 'USDT', amount: '25' },
    effects: ({ sandbox }: World) =>
      sandbox.ledger.balanceChanges.filter(({ delta, account }) => account === 'other' && delta === '25').length,
  },
  {
    name: 'refundDeposit',
    path: '/api/v4/main-account/refund-deposit',
    prepare: ({ main, sandbox }: World): Observable<object> => {
      const transactionId = sandbox.account('main').cancelDeposit('USDT', '120', 'TRC20');
      return main.refundDeposit({ transactionId, address });
    },
    found: { id: expect.any(String) as string },
    effects: async ({ main, resultOf }: World) => (await resultOf(main.refundHistory())).records.length,
  },
];

describe.each(movements)('$name', ({ path, prepare, found, effects }) => {
  it.each([
    ['its response is lost', { kind: 'status', executed: true }],
    ['its response is truncated', { kind: 'truncated' }],
    ['the connection is lost after it was executed', { kind: 'reset', executed: true }],
    ['it is executed late', { kind: 'late-execution', delayMs: 4000 }],
  ] as const)('is executed once, and found, when %s', async (_, fault) => {
    const exchange = world();
    const movement$ = await prepare(exchange);
    exchange.sandbox.fault({ ...fault, path });
    expect(await exchange.resultOf(movement$)).toMatchObject(found);
    expect(await effects(exchange)).toBe(1);
    const met = exchange.sandbox.ledger.requests.filter((request) => request.path === path && request.fault);
    expect(met).toHaveLength(1);
  });

  it('is reported as not executed when it never arrived, and no other is sent', async () => {
    const exchange = world();
    const movement$ = await prepare(exchange);
    exchange.sandbox.fault({ kind: 'reset', path });
    expect(await exchange.errorOf(movement$)).toMatchObject({ kind: 'lookup', outcome: 'not-executed' });
    expect(await effects(exchange)).toBe(0);
  });
});

describe('a refund', () => {
  it('takes the fee of the network, is in process for a while, and touches no balance', async () => {
    const { sandbox, main, resultOf } = world();
    const transactionId = sandbox.account('main').cancelDeposit('USDT', '120', 'TRC20');
    const before = sandbox.ledger.balances('main');
    expect(await resultOf(main.refundDeposit({ transactionId, address }))).toEqual({ id: transactionId });
    const listed = async () => (await resultOf(main.refundHistory({ ticker: 'usdt' }))).records;
    const [waiting] = await listed();
    expect(waiting).toMatchObject({ depositId: transactionId, refundAmount: '119', status: 'in_process' });
    expect(waiting).not.toHaveProperty('refundHash');
    sandbox.clock.advance(60_000);
    expect(await listed()).toMatchObject([{ status: 'successful', refundAddress: address, network: 'TRC20' }]);
    expect(sandbox.ledger.balances('main')).toEqual(before);
  });

  it('of a deposit that was refunded is found, and to another address refused', async () => {
    const { sandbox, accountOf, main, resultOf, errorOf } = world();
    const transactionId = sandbox.account('main').cancelDeposit('BTC', '0.5');
    const refundTo = (to: string) => accountOf('main').refundDeposit({ transactionId, address: to });
    await resultOf(refundTo(address));
    expect(await resultOf(refundTo(address.toLowerCase()))).toEqual({ id: transactionId });
    expect(await errorOf(refundTo('another'))).toMatchObject({ kind: 'api', outcome: 'rejected' });
    expect((await resultOf(main.refundHistory())).records).toHaveLength(1);
  });

  it.each([
    ['is not of the account', ({ sandbox }: World) => sandbox.account('other').cancelDeposit('BTC', '1')],
    ['is not above the fee', ({ sandbox }: World) => sandbox.account('main').cancelDeposit('BTC', '0.0004')],
  ])('is refused when the deposit %s', async (_, cancel) => {
    const exchange = world();
    const refund$ = exchange.main.refundDeposit({ transactionId: cancel(exchange), address });
    expect(await exchange.errorOf(refund$)).toMatchObject({ kind: 'api', status: 400, outcome: 'rejected' });
  });
});

it('a deposit address is permanent for an asset and a network, and another one is made on request', async () => {
  const { main, resultOf, errorOf } = world();
  const addressOf = async (ticker: string, network?: string) =>
    (await resultOf(main.depositAddress(network === undefined ? { ticker } : { ticker, network }))).account;
  const first = await addressOf('USDT', 'TRC20');
  expect(await addressOf('USDT', 'TRC20')).toEqual(first);
  const created = await resultOf(main.createDepositAddress({ ticker: 'USDT', network: 'TRC20' }));
  const all = [first, await addressOf('USDT', 'ERC20'), await addressOf('USDT'), created.account];
  expect(new Set(all.map((one) => one.address)).size).toBe(3);
  expect((await addressOf('XLM')).memo).toMatch(/^\d+$/);
  expect(await errorOf(main.depositAddress({ ticker: 'USDT', network: 'BTC' }))).toMatchObject({
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
  const { sandbox, main, other, resultOf } = world({ retentionMs: 60_000 });
  const { code } = await resultOf(main.createCode({ ticker: 'USDT', amount: '1' }));
  await resultOf(main.createCode({ ticker: 'USDT', amount: '2' }));
  await resultOf(other.applyCode({ code }));
  sandbox.clock.advance(120_001);
  expect((await resultOf(main.myCodes())).data.map(({ amount }) => amount)).toEqual(['2']);
});

describe('a payment page', () => {
  it('of an express payment is the same for 90 s, and its key is bound to its terms', async () => {
    const { sandbox, main, resultOf, errorOf } = world();
    const pageOf = (amount: string) => main.createExpressPayment({ ticker: 'USDT', amount, externalId: 'i-1' });
    const first = await resultOf(pageOf('40'));
    expect(await resultOf(pageOf('40.0'))).toEqual(first);
    expect(await errorOf(pageOf('41'))).toMatchObject({ reason: 'duplicate', code: 18 });
    expect(await errorOf(pageOf('10001'))).toMatchObject({ reason: 'amount', code: 191 });
    sandbox.clock.advance(91_000);
    expect((await resultOf(pageOf('41'))).url).not.toBe(first.url);
  });

  it('of a fiat deposit takes its key once, and a lost one is unknown', async () => {
    const { sandbox, main, resultOf, errorOf } = world();
    const pageOf = (uniqueId: string) =>
      main.createFiatDeposit({ ticker: 'UAH', provider: 'CHECKOUT', amount: '500', uniqueId });
    expect((await resultOf(pageOf('a'))).url).toMatch(/^https:/);
    expect(await errorOf(pageOf('a'))).toMatchObject({ reason: 'duplicate', outcome: 'rejected' });
    sandbox.fault({ kind: 'status', executed: true, path: '/api/v4/main-account/fiat-deposit-url' });
    expect(await errorOf(pageOf('b'))).toMatchObject({ outcome: 'unknown' });
  });
});
