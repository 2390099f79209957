// The collateral account adds up: balances, closed positions, fees and funding follow from the fills and the rates.
import { createSandbox, type LedgerFill, type Sandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, formatDecimal, type Decimal } from '../../src/model/decimal.js';
import { read, sendRaw } from '../contract/setup.js';

const hourMs = 3_600_000;
const deposit = '5000';
const markets = [
  { name: 'BTC_USDT', price: '60000' },
  { name: 'BTC_PERP', price: '60030', stockPrec: 3, minAmount: '0.001' },
];
const account = '/api/v4/collateral-account/';

/** A settlement of the funding rate, as everyone sees it. */
interface Settlement {
  readonly fundingTime: string;
  readonly fundingRate: string;
  readonly settlementPrice: string;
}

const sum = (all: readonly (string | Decimal)[]) => all.reduce<Decimal>((total, one) => total.plus(one), decimal(0));
const rounded = (value: Decimal) => formatDecimal(value.decimalPlaces(8));
const signed = ({ side }: LedgerFill, value: string) => (side === 'buy' ? decimal(value) : decimal(value).negated());

/** Sends a request that must succeed. */
async function readSigned<Body>(sandbox: Sandbox, path: string, fields: Readonly<Record<string, unknown>> = {}) {
  const { status, body } = await sendRaw({ sandbox }, path, fields);
  expect([status, body]).toEqual([200, body]);
  return body as Body;
}

const market = fc.constantFrom('BTC_USDT', 'BTC_PERP');
const between = (min: number, max: number) => fc.integer({ min, max });
const anyOrder = fc.record({
  kind: fc.constant('order' as const),
  market,
  side: fc.constantFrom('buy', 'sell'),
  thousandths: between(1, 800),
  price: between(58_000, 62_000),
  isStopped: fc.boolean(),
  positionSide: fc.constantFrom('LONG', 'SHORT'),
});
const anyPrice = fc.record({ kind: fc.constant('price' as const), market, price: between(50_000, 70_000) });
const anyWait = fc.record({ kind: fc.constant('wait' as const), hours: between(1, 30) });
const anyStep = fc.oneof(
  { weight: 6, arbitrary: anyOrder },
  { weight: 3, arbitrary: anyPrice },
  { weight: 2, arbitrary: anyWait },
  { weight: 1, arbitrary: fc.constant({ kind: 'close' as const }) },
);

type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never;

async function closeAll(sandbox: Sandbox): Promise<void> {
  const positions = await readSigned<{ positionId: number; market: string; positionSide: string }[]>(
    sandbox,
    `${account}positions/open`,
  );
  for (const { positionId, market, positionSide } of positions)
    await sendRaw({ sandbox }, `${account}position/close`, { positionId, market, positionSide });
}

/** A sandbox after these steps, without open orders and positions. */
async function traded(steps: readonly Step[], isHedged: boolean): Promise<Sandbox> {
  const accounts = [{ name: 'main', balances: { collateral: { USDT: deposit } } }];
  const sandbox = createSandbox({ clock: 'manual', volatility: 0, markets, accounts });
  sandbox.account().setHedgeMode(isHedged);
  for (const step of steps) {
    sandbox.clock.advance(1000);
    if (step.kind === 'price') sandbox.market(step.market).setPrice(String(step.price));
    else if (step.kind === 'wait') sandbox.clock.advance(step.hours * hourMs);
    else if (step.kind === 'close') await closeAll(sandbox);
    else {
      const { market, side, thousandths, price, isStopped, positionSide } = step;
      const stop = isStopped ? { stopLoss: String(side === 'buy' ? price - 3000 : price + 3000) } : {};
      const amount = decimal(thousandths).shiftedBy(-3).toFixed();
      const order = { market, side, amount, price: String(price), positionSide, ...stop };
      // An order without enough margin is rejected.
      await sendRaw({ sandbox }, '/api/v4/order/collateral/limit', order);
    }
  }
  sandbox.clock.advance(1000);
  for (const { market, order_id, ftime } of sandbox.ledger.orders)
    if (ftime === undefined) await sendRaw({ sandbox }, '/api/v4/order/cancel', { market, orderId: order_id });
  await closeAll(sandbox);
  return sandbox;
}

/** The result of a position. */
interface Life {
  readonly market: string;
  readonly isLong: boolean;
  readonly openedAt: number;
  closedAt: number;
  entered: Decimal;
  enteredMoney: Decimal;
  exitedMoney: Decimal;
  fees: Decimal;
  funding: Decimal;
}

/** The lives of the positions of one market and side, from their fills and the rates alone, oldest first. */
function livesOf(fills: readonly LedgerFill[], settlements: readonly Settlement[]): Life[] {
  const lives: Life[] = [];
  let held = decimal(0);
  const take = (fill: LedgerFill, amount: Decimal, fee: Decimal) => {
    const isEntry = held.multipliedBy(signed(fill, '1')).isGreaterThanOrEqualTo(0);
    if (held.isZero()) {
      const none = decimal(0);
      const sums = { entered: none, enteredMoney: none, exitedMoney: none, fees: none, funding: none };
      const { market, side, at } = fill;
      lives.push({ market, isLong: side === 'buy', openedAt: at, closedAt: at, ...sums });
    }
    const life = lives.at(-1);
    if (life === undefined) return;
    const money = amount.multipliedBy(fill.price);
    life.closedAt = fill.at;
    life.fees = life.fees.plus(fee);
    if (isEntry) life.entered = life.entered.plus(amount);
    if (isEntry) life.enteredMoney = life.enteredMoney.plus(money);
    else life.exitedMoney = life.exitedMoney.plus(money);
    held = held.plus(signed(fill, amount.toFixed()));
  };
  const due = settlements.toReversed();
  for (const fill of fills) {
    const life = lives.at(-1);
    for (let next = due[0]; next !== undefined && Number(next.fundingTime) * 1000 <= fill.at; next = due[0]) {
      const paid = held.multipliedBy(next.settlementPrice).multipliedBy(next.fundingRate);
      if (life !== undefined) life.funding = life.funding.plus(paid);
      due.shift();
    }
    const amount = decimal(fill.amount);
    const fee = decimal(fill.fee);
    const turns = signed(fill, '1').multipliedBy(held).isLessThan(0) && amount.isGreaterThan(held.abs());
    const closing = turns ? held.abs() : amount;
    const closingFee = turns ? fee.multipliedBy(closing).dividedBy(amount).decimalPlaces(8) : fee;
    take(fill, closing, closingFee);
    if (turns) take(fill, amount.minus(closing), fee.minus(closingFee));
  }
  return lives;
}

describe('after any trading, with moves of the price, funding and liquidations', () => {
  const anySteps = fc.array(anyStep, { minLength: 5, maxLength: 40, size: 'max' });

  it('the balance is the deposit, with the money of the fills, their fees and the funding', async () => {
    let liquidations = 0;
    await fc.assert(
      fc.asyncProperty(anySteps, fc.boolean(), async (steps, isHedged) => {
        const sandbox = await traded(steps, isHedged);
        const { fills, balanceChanges, orders } = sandbox.ledger;
        const money = sum(fills.map((fill) => signed(fill, fill.money))).negated();
        const fees = sum(fills.map(({ fee }) => fee));
        const path = `${account}funding-history`;
        const { records } = await readSigned<{ records: { fundingAmount: string }[] }>(sandbox, path);
        const funding = sum(records.map(({ fundingAmount }) => fundingAmount));
        const booked = (reason: string) =>
          sum(balanceChanges.filter((one) => one.reason === reason).map(({ delta }) => delta)).toFixed();
        expect([booked('profit'), booked('fee'), booked('funding')]).toEqual(
          [money, fees.negated(), funding].map((one) => one.toFixed()),
        );
        const balance = decimal(deposit).plus(money).minus(fees).plus(funding);
        expect(sandbox.ledger.balances().collateral['USDT']).toBe(formatDecimal(balance));
        liquidations += orders.filter((order) => order.client_order_id.startsWith('liquidation_')).length;
      }),
      // Random runs may have no liquidation.
      { numRuns: 40, seed: 20261127 },
    );
    expect(liquidations).toBeGreaterThan(0);
  });

  it('closed positions equal the sums of their fills and settlements', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, fc.boolean(), async (steps, isHedged) => {
        const sandbox = await traded(steps, isHedged);
        const { fills, orders } = sandbox.ledger;
        const sideOf = new Map(orders.map(({ order_id, positionSide }) => [order_id, positionSide]));
        const settlements = await read<Settlement[]>(sandbox, '/api/v4/public/funding-history/BTC_PERP');
        const sides = isHedged ? (['LONG', 'SHORT'] as const) : [undefined];
        const lives = markets.flatMap(({ name }) =>
          sides.flatMap((side) =>
            livesOf(
              fills.filter((fill) => fill.market === name && sideOf.get(fill.order_id) === side),
              name === 'BTC_PERP' ? settlements : [],
            ),
          ),
        );
        const expected = lives.map(({ market, isLong, entered, enteredMoney, exitedMoney, fees, funding, ...life }) => {
          const profit = isLong ? exitedMoney.minus(enteredMoney) : enteredMoney.minus(exitedMoney);
          return {
            market,
            grossPnl: formatDecimal(profit.minus(fees)),
            netPnl: formatDecimal(profit.minus(fees).minus(funding)),
            totalTradeFee: formatDecimal(fees),
            totalFunding: formatDecimal(funding),
            avgEntryPrice: rounded(enteredMoney.dividedBy(entered)),
            avgExitPrice: rounded(exitedMoney.dividedBy(entered)),
            closedSize: formatDecimal(entered),
            amount: '0',
            side: isLong ? 'LONG' : 'SHORT',
            isHedge: isHedged,
            openDate: Math.floor(life.openedAt / 1000),
            closeDate: Math.floor(life.closedAt / 1000),
          };
        });
        const closed = await readSigned<{ positionId: number }[]>(sandbox, `${account}positions/closed-pnl`, {
          limit: 100,
        });
        const byText = (records: readonly object[]) => records.map((one) => JSON.stringify(one)).sort();
        expect(byText(closed.map(({ positionId: _positionId, ...record }) => record))).toEqual(byText(expected));
        expect(new Set(closed.map(({ positionId }) => positionId)).size).toBe(closed.length);
      }),
      { numRuns: 40 },
    );
  });
});
