// What the sandbox keeps of lending: amounts leave the main balance for a plan, earn interest by the clock, and come back.
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf, sendRaw } from '../contract/setup.js';

const dayMs = 24 * 3_600_000;

function lender(balance = '1000', retentionMs = Number.MAX_SAFE_INTEGER) {
  const sandbox = createSandbox({
    ...{ clock: 'manual', history: 0, tickMs: 100 * dayMs, volatility: 0, retentionMs },
    accounts: ['main', 'other'].map((name) => ({ name, balances: { main: { USDT: balance, BTC: '1' } } })),
  });
  onTestFinished(() => sandbox.close());
  const main = () => sandbox.ledger.balances().main;
  return { sandbox, lending: clientOf(sandbox).lending, other: clientOf(sandbox, 'other').lending, main };
}

const planOf = (end: string) => `7b4a1c0e-6f0e-4f0b-9d1e-0000000000${end}`;
const plans = { month: planOf('01'), single: planOf('11'), inUsdt: planOf('12'), soldOut: planOf('13') };
const plan = planOf('03');

it('a fixed investment comes back at the end of its plan, with the interest', async () => {
  const { sandbox, lending, main } = lender();
  const { id } = await firstValueFrom(lending.investFixed({ planId: plans.month, amount: '400' }));
  const read = async () => (await firstValueFrom(lending.fixedInvestments({ id }))).records;
  const made = Date.UTC(2026, 0, 1) / 1000;
  expect(main()['USDT']).toBe('600');
  expect(await read()).toMatchObject([
    { id, status: 1, created: made, updated: made, paymentTime: made + 30 * 86_400, amount: '400', interestPaid: '0' },
  ]);
  sandbox.clock.advance(30 * dayMs - 1);
  expect(main()['USDT']).toBe('600');
  sandbox.clock.advance(1);
  expect(main()['USDT']).toBe('1004');
  expect(await read()).toMatchObject([{ status: 2, updated: made + 30 * 86_400, interestPaid: '4' }]);
  const paid = await firstValueFrom(lending.fixedInterestPayments({ planId: plans.month }));
  const payment = { planId: plans.month, investmentId: id, amount: '4', ticker: 'USDT', timestamp: made + 30 * 86_400 };
  expect(paid.records).toEqual([payment]);
});

it('a plan pays its interest in another asset at the ratio of the plan', async () => {
  const { sandbox, lending, main } = lender();
  await firstValueFrom(lending.investFixed({ planId: plans.inUsdt, amount: '0.5' }));
  sandbox.clock.advance(7 * dayMs);
  expect(main()).toEqual({ USDT: '1025', BTC: '1' });
  expect((await firstValueFrom(lending.fixedInvestments({ ticker: 'BTC', status: 2 }))).records).toHaveLength(1);
  expect((await firstValueFrom(lending.fixedInvestments({ status: 1 }))).records).toEqual([]);
});

it('a fixed investment that is closed before its end comes back once, without interest', async () => {
  const { sandbox, lending, main } = lender();
  const { id } = await firstValueFrom(lending.investFixed({ planId: plans.month, amount: '400' }));
  sandbox.clock.advance(dayMs);
  const path = '/api/v4/main-account/smart/investment/close';
  expect(await sendRaw({ sandbox }, path, { id: 'of another account' })).toMatchObject({ status: 422 });
  await firstValueFrom(lending.closeFixedInvestment({ id }));
  expect(await sendRaw({ sandbox }, path, { id })).toMatchObject({ status: 422 });
  sandbox.clock.advance(40 * dayMs);
  expect(main()['USDT']).toBe('1000');
  expect((await firstValueFrom(lending.fixedInterestPayments())).records).toEqual([]);
});

it('a plan has what all accounts have left of it, and is sold out below its minimum', async () => {
  const { lending, other } = lender();
  const left = async () => {
    const all = await firstValueFrom(lending.fixedPlans({ ticker: 'USDT' }));
    return all.find(({ id }) => id === plans.single);
  };
  await firstValueFrom(other.investFixed({ planId: plans.single, amount: '1000' }));
  expect(await left()).toMatchObject({ status: 1, maxPossibleInvestment: '500' });
  const tooMuch = firstValueFrom(lending.investFixed({ planId: plans.single, amount: '501' }));
  await expect(tooMuch).rejects.toMatchObject({ code: 5 });
  await firstValueFrom(lending.investFixed({ planId: plans.single, amount: '495' }));
  expect(await left()).toMatchObject({ status: 2, maxPossibleInvestment: '5' });
});

it.each([
  [1, { planId: plans.single, amount: '10' }],
  [2, { planId: plans.month, amount: '99' }],
  [3, { planId: plans.month, amount: '1000001' }],
  [4, { planId: plans.month, amount: '991' }],
  [5, { planId: plans.soldOut, amount: '0.01' }],
  [0, { planId: 'none', amount: '100' }],
])('a fixed investment is refused with code %d: %j', async (code, params) => {
  const { sandbox, lending, main } = lender();
  await firstValueFrom(lending.investFixed({ planId: plans.single, amount: '10' }));
  const { status, body } = await sendRaw({ sandbox }, '/api/v4/main-account/smart/investment', params);
  expect([status, body]).toMatchObject([code === 0 ? 400 : 422, { code }]);
  expect(main()).toEqual({ USDT: '990', BTC: '1' });
});

it('a flex investment earns each hour, is paid each day, and earns of its earnings only when asked to', async () => {
  const { sandbox, lending, main } = lender('10000');
  await firstValueFrom(lending.investFlex({ plan, amount: '8760' }));
  sandbox.clock.advance(dayMs - 1);
  expect(main()['USDT']).toBe('1240');
  sandbox.clock.advance(1);
  expect(main()['USDT']).toBe('1243.6');
  await firstValueFrom(lending.setFlexReinvest({ plan, enabled: true }));
  sandbox.clock.advance(2 * dayMs);
  expect(main()['USDT']).toBe('1243.6');
  const { data } = await firstValueFrom(lending.flexInvestments({ ticker: 'USDT', investmentStatus: 1 }));
  expect(data).toMatchObject([{ planId: plan, invested: '8767.20147945', withAutoReinvest: true, status: 1 }]);
  const earned = await firstValueFrom(lending.flexEarnings({ plan, dateFrom: Date.UTC(2026, 0, 3) / 1000 }));
  expect(earned.data.map(({ actionType, amount }) => [actionType, amount].join())).toEqual(['4,3.60147945', '4,3.6']);
});

it('a flex investment is opened, increased, decreased and closed, with what it earned', async () => {
  const { sandbox, lending, main } = lender();
  await firstValueFrom(lending.investFlex({ plan, amount: '100' }));
  await firstValueFrom(lending.investFlex({ plan, amount: '776', withReinvest: true }));
  await firstValueFrom(lending.withdrawFlex({ plan, amount: '438' }));
  sandbox.clock.advance(3_600_000);
  const { transactionId } = await firstValueFrom(lending.closeFlexInvestment({ plan }));
  expect(main()['USDT']).toBe('1000.0075');
  const again = await sendRaw({ sandbox }, '/api/v4/main-account/smart-flex/investments/close', { plan });
  expect(again).toMatchObject({ status: 422 });
  sandbox.clock.advance(2 * dayMs);
  expect(main()['USDT']).toBe('1000.0075');
  const { data } = await firstValueFrom(lending.flexOperations({ plan }));
  const operations = data.map(({ actionType, amount }) => [actionType, amount].join());
  expect(operations).toEqual(['5,438', '4,0.0075', '3,438', '1,776', '6,100']);
  expect(data[0]?.transactionId).toBe(transactionId);
  expect((await firstValueFrom(lending.flexOperations({ actionTypes: [1, 6] }))).data).toHaveLength(2);
  await firstValueFrom(lending.investFlex({ plan, amount: '100' }));
  expect((await firstValueFrom(lending.flexInvestments())).data.map(({ status }) => status)).toEqual([1, 0]);
});

it.each([
  [2, 'invest', { amount: '9' }],
  [3, 'invest', { amount: '99901' }],
  [4, 'invest', { amount: '901' }],
  [4, 'withdraw', { amount: '101' }],
  [0, 'withdraw', { amount: '91' }],
  [0, 'withdraw', { amount: '1', plan: planOf('04') }],
  [0, 'auto-invest', { enabled: true, plan: planOf('04') }],
  [0, 'close', { plan: 'none' }],
])('refuses with code %d to %s with %j, and moves nothing', async (code, path, params) => {
  const { sandbox, lending, main } = lender();
  await firstValueFrom(lending.investFlex({ plan, amount: '100' }));
  const investments = '/api/v4/main-account/smart-flex/investments';
  const { status, body } = await sendRaw({ sandbox }, `${investments}/${path}`, { plan, ...params });
  expect([status === 422 || status === 400, body]).toMatchObject([true, { code }]);
  expect(main()['USDT']).toBe('900');
});

it('a lost response to an investment is looked up, and nothing is invested twice', async () => {
  const { sandbox, lending, main } = lender();
  for (const path of ['smart/investment', 'smart-flex/investments/invest'])
    sandbox.fault({ kind: 'status', path: `/api/v4/main-account/${path}`, executed: true });
  const { id } = await firstValueFrom(lending.investFixed({ planId: plans.month, amount: '100' }));
  const { transactionId } = await firstValueFrom(lending.investFlex({ plan, amount: '100' }));
  expect((await firstValueFrom(lending.fixedInvestments())).records.map((one) => one.id)).toEqual([id]);
  expect((await firstValueFrom(lending.flexOperations())).data).toMatchObject([{ transactionId }]);
  expect(main()['USDT']).toBe('800');
});

it('forgets what was closed before the retention time', async () => {
  const { sandbox, lending } = lender('1000', 90 * dayMs);
  await firstValueFrom(lending.investFixed({ planId: plans.month, amount: '100' }));
  await firstValueFrom(lending.investFlex({ plan, amount: '100' }));
  await firstValueFrom(lending.closeFlexInvestment({ plan }));
  sandbox.clock.advance(200 * dayMs);
  await firstValueFrom(lending.fixedPlans());
  expect((await firstValueFrom(lending.fixedInvestments())).records).toEqual([]);
  expect((await firstValueFrom(lending.flexOperations())).data).toEqual([]);
});
