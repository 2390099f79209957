// retentionMs: ended orders, executions, balance changes and requests are forgotten after it; open orders are kept.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';
const stock = '/api/v4/order/stock_market';
const limit = '/api/v4/order/collateral/limit';
const history = '/api/v4/trade-account/order/history';
const retentionMs = 60_000;

const open = (options = {}) => createSandbox({ clock: 'manual', volatility: 0, ...options });
const buy = (sandbox: Sandbox, clientOrderId: string) =>
  sendRaw({ sandbox }, stock, { market, side: 'buy', amount: '0.01', clientOrderId });
const rest = (sandbox: Sandbox) =>
  sendRaw({ sandbox }, limit, { market, side: 'buy', amount: '0.01', price: '50000', clientOrderId: 'rests' });
const identifiers = ({ ledger }: Sandbox) => ledger.orders.map(({ client_order_id }) => client_order_id);

/** Buys once every ten seconds, beginning now. */
async function trade(sandbox: Sandbox, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    if (turn > 0) sandbox.clock.advance(10_000);
    await buy(sandbox, `order-${turn}`);
  }
}

describe('a record of the past', () => {
  it('is kept for at least retentionMs and at most twice as long, whatever the clock does', async () => {
    const hour = 3_600_000;
    const pause = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(-hour, hour) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pause, { minLength: 1, maxLength: 25, size: 'max' }), async (pauses) => {
        const sandbox = open({ retentionMs });
        const placed: number[] = [];
        for (const ms of pauses) {
          if (ms < 0) sandbox.clock.skew(ms);
          else sandbox.clock.advance(ms);
          placed.push(sandbox.clock.now());
          await buy(sandbox, `order-${placed.length}`);
        }
        const { orders, fills, balanceChanges, requests } = sandbox.ledger;
        const times = {
          orders: orders.map(({ timestamp }) => Math.floor(timestamp * 1000)),
          fills: [...new Set(fills.map(({ at }) => at))],
          balanceChanges: [
            ...new Set(balanceChanges.filter(({ order_id }) => order_id !== undefined).map(({ at }) => at)),
          ],
          requests: requests.map(({ at }) => at),
        };
        const young = placed.filter((at, turn) => placed.slice(turn).every((now) => at >= now - retentionMs));
        for (const kept of Object.values(times)) {
          expect(kept).toEqual(expect.arrayContaining(young));
          expect(Math.min(...kept)).toBeGreaterThanOrEqual(sandbox.clock.now() - 2 * retentionMs);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('is forgotten with all of its bookings, and the balances stay', async () => {
    const sandbox = open({ retentionMs });
    await trade(sandbox, 30);
    const kept = new Set(sandbox.ledger.orders.map(({ order_id }) => order_id));
    expect([...new Set(sandbox.ledger.fills.map(({ order_id }) => order_id))]).toEqual([...kept]);
    expect([...new Set(sandbox.ledger.balanceChanges.map(({ order_id }) => order_id))]).toEqual([...kept]);
    expect(sandbox.ledger.requests.length).toBe(kept.size);
    expect(kept.size).toBeLessThan(14);
    expect(sandbox.ledger.balances().trade['BTC']).toBe('100.3');
  });

  it('leaves the order history, which still has younger orders, by client order ID, too', async () => {
    const sandbox = open({ retentionMs });
    await buy(sandbox, 'older');
    sandbox.clock.advance(retentionMs - 1000);
    await buy(sandbox, 'younger');
    const lookUp = (clientOrderId: string) => sendRaw({ sandbox }, history, { market, clientOrderId });
    expect(await lookUp('older')).toMatchObject({ status: 200, body: { [market]: [{ clientOrderId: 'older' }] } });
    sandbox.clock.advance(retentionMs - 1000);
    expect(await lookUp('younger')).toMatchObject({ status: 200, body: { [market]: [{ clientOrderId: 'younger' }] } });
    expect(await lookUp('older')).toMatchObject({ status: 422, body: { code: 30 } });
  });

  it('leaves the history of positions and the funding, while a position keeps the sums of its life', async () => {
    const hourMs = 3_600_000;
    const perpetual = 'BTC_PERP';
    const sandbox = open({ retentionMs: hourMs, markets: [{ name: perpetual, price: '60000', stockPrec: 3 }] });
    const trade = (side: string, price: string) =>
      sendRaw({ sandbox }, limit, { market: perpetual, side, amount: '0.1', price });
    const read = async (list: string) => (await sendRaw({ sandbox }, `/api/v4/collateral-account/${list}`, {})).body;
    await trade('buy', '60100');
    sandbox.clock.advance(8 * hourMs);
    expect(await read('funding-history')).toMatchObject({ records: [{ fundingAmount: '-0.6' }] });
    expect(await read('positions/history')).toEqual([]);
    sandbox.clock.advance(3 * hourMs);
    await trade('sell', '59900');
    expect(await read('funding-history')).toMatchObject({ records: [] });
    expect(await read('positions/history')).toHaveLength(1);
    expect(await read('positions/closed-pnl')).toMatchObject([{ closedSize: '0.1', totalFunding: '0.6' }]);
    sandbox.clock.advance(3 * hourMs);
    expect(await read('positions/closed-pnl')).toEqual([]);
  });
});

it('an open order that rests is kept however old it is, is executed at its price, and is kept for retentionMs after that', async () => {
  const sandbox = open({ retentionMs });
  await rest(sandbox);
  await trade(sandbox, 30);
  expect(identifiers(sandbox)[0]).toBe('rests');
  expect(await rest(sandbox)).toMatchObject({ status: 422, body: { code: 36 } });

  sandbox.market(market).setPrice('49900');
  expect(sandbox.ledger.orders[0]).toMatchObject({ client_order_id: 'rests', status: 'FILLED' });
  sandbox.clock.advance(retentionMs);
  await buy(sandbox, 'a-minute-later');
  expect(identifiers(sandbox)).toContain('rests');
  sandbox.clock.advance(retentionMs + 1);
  await buy(sandbox, 'two-minutes-later');
  expect(identifiers(sandbox)).not.toContain('rests');
});
