// Money never appears or vanishes in the sandbox: what its books, its plans and its codes have, and what is on its way, is what
// came in, less what has left.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';
import { decimal, formatDecimal } from '../../src/model/decimal.js';

const main = '/api/v4/main-account';
const wallets = ['main', 'spot', 'collateral'] as const;
const ticker = 'USDT';
const miner = 'my_miner_01';
const hourMs = 3_600_000;

const amount = fc.integer({ min: 1, max: 120 }).map(String);
const wallet = fc.constantFrom(...wallets);
const idOf = (end: string) => `7b4a1c0e-6f0e-4f0b-9d1e-0000000000${end}`;
const plan = fc.constant(idOf('03'));

/** Requests to a path with any of these values. */
const to = (path: string, values: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(values).map((fields) => ({ path, fields }));
const [network, address, from] = [fc.constant('TRC20'), fc.constant('TXaddress'), fc.constant('from')];
const requests = fc.oneof(
  to(`${main}/transfer`, { from: wallet, to: wallet, amount }),
  to(`${main}/withdraw`, { amount, uniqueId: fc.uuid(), network, address }),
  to(`${main}/smart/investment`, { amount, planId: fc.constantFrom(idOf('01'), idOf('11')) }),
  to(`${main}/smart-flex/investments/invest`, { amount, plan, withReinvest: fc.boolean() }),
  to(`${main}/smart-flex/investments/withdraw`, { amount, plan }),
  to(`${main}/smart-flex/investments/close`, { plan }),
  to(`${main}/codes`, { amount }),
  to('/api/v4/sub-account/transfer', { amount, direction: fc.constantFrom('main_to_sub', 'sub_to_main') }),
  to('/api/v4/convert/auto-confirm', { amount, direction: from, from: fc.constant('USDT'), to: fc.constant('BTC') }),
);
const acts = fc.array(fc.record({ request: requests, waitMs: fc.oneof(fc.nat(3000), fc.nat(9 * 24 * hourMs)) }), {
  maxLength: 12,
});

it('whatever is transferred, withdrawn, invested, converted, made a code, mined and earned', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(acts, async (done) => {
      const sandbox = createSandbox({
        ...{ clock: 'manual', history: 0, tickMs: 200 * 24 * hourMs, volatility: 0, subAccountCount: 1 },
        accounts: [{ name: 'main', balances: { main: { USDT: '200' }, trade: { USDT: '50' } } }],
      });
      sandbox.account().connectWorker(miner, 'a', '100');
      const sub = await listOf(sandbox, '/api/v4/sub-account/list', {});
      const id = String(sub[0]?.['id']);
      for (const { request, waitMs } of done) {
        const { status } = await sendRaw({ sandbox }, request.path, { id, ticker, ...request.fields });
        if (status < 300) seen.add(request.path);
        sandbox.clock.advance(waitMs);
      }
      sandbox.clock.advance(60_000);
      for (const asset of ['USDT', 'BTC'])
        expect(formatDecimal(await have(sandbox, id, asset))).toBe(formatDecimal(await cameIn(sandbox, asset)));
    }),
    { numRuns: 20 },
  );
  expect(seen.size).toBeGreaterThanOrEqual(6);
});

type Values = Readonly<Record<string, unknown>>;

async function listOf(sandbox: Sandbox, path: string, fields: Values): Promise<readonly Values[]> {
  const { body } = await sendRaw({ sandbox }, path, { limit: 100, ...fields });
  const { records, data = records } = body as {
    readonly records?: readonly Values[];
    readonly data?: readonly Values[];
  };
  return data ?? [];
}

const sum = (records: readonly Values[], field: string) =>
  records.reduce((total, one) => total.plus(String(one[field])), decimal(0));

/** What the books of both accounts, the plans, the codes and the withdrawals have of an asset. */
async function have(sandbox: Sandbox, id: string, asset: string) {
  const list = (path: string, fields: Values = {}) => listOf(sandbox, `${main}/${path}`, { ticker: asset, ...fields });
  const books = Object.values(sandbox.ledger.balances()).map((of) => ({ amount: of[asset] ?? '0' }));
  const { body } = await sendRaw({ sandbox }, '/api/v4/sub-account/balances', { id, ticker: asset });
  const [ofSub] = (body as Readonly<Record<string, readonly Values[]>>)[asset] ?? [];
  const codes = (await list('codes/my')).filter((one) => one['ticker'] === asset);
  return [
    sum(books, 'amount'),
    sum(ofSub === undefined ? [] : [ofSub], 'main'),
    sum(codes, 'amount'),
    sum(await list('smart/investments', { status: 1 }), 'amount'),
    sum(await list('smart-flex/investments'), 'invested'),
    sum(await list('history', { transactionMethod: 2 }), 'amount'),
  ].reduce((total, part) => total.plus(part));
}

/** The balances at the start, interest, rewards, and what conversions received or gave. */
async function cameIn(sandbox: Sandbox, asset: string) {
  const fixed = await listOf(sandbox, `${main}/smart/interest-payment-history`, { ticker: asset });
  const flex = await listOf(sandbox, `${main}/smart-flex/investments/payment-history`, {});
  const ofAsset = flex.filter((one) => one['currency'] === asset);
  const rewards = asset === 'BTC' ? await listOf(sandbox, '/api/v4/mining/rewards', {}) : [];
  const conversions = sandbox.ledger.balanceChanges.filter((one) => one.reason === 'conversion' && one.asset === asset);
  const converted = conversions.reduce((total, { delta }) => total.plus(delta), decimal(0));
  return [
    decimal(asset === 'USDT' ? '250' : '0'),
    sum(fixed, 'amount'),
    sum(ofAsset, 'amount'),
    sum(rewards, 'reward'),
    converted,
  ].reduce((total, part) => total.plus(part));
}
