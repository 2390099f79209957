// A sandbox that is told how long to keep what is over: it keeps it so long, and not for ever; what is not over stays.
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
const buy = (sandbox: Sandbox, clientOrderId: string) => sendRaw({ sandbox }, stock, { market, side: 'buy', amount: '0.01', clientOrderId });
const rest = (sandbox: Sandbox) => sendRaw({ sandbox }, limit, { market, side: 'buy', amount: '0.01', price: '50000', clientOrderId: 'rests' });
const identifiers = ({ ledger }: Sandbox) => ledger.orders.map(({ client_order_id }) => client_order_id);

/** Buys once every ten seconds, the first time now; the identifiers tell when. */
async function trade(sandbox: Sandbox, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    if (turn > 0) sandbox.clock.advance(10_000);
    await buy(sandbox, `order-${turn}`);
  }
}

describe('what is over', () => {
  it('is kept for the retention at least, and for about twice as long at most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 25 }), async (pauses) => {
        const sandbox = open({ retentionMs });
        const placed: number[] = [];
        for (const pause of pauses) {
          sandbox.clock.advance(pause);
          placed.push(sandbox.clock.now());
          await buy(sandbox, `order-${placed.length}`);
        }
        const { orders, fills, balanceChanges, requests } = sandbox.ledger;
        const times = {
          orders: orders.map(({ timestamp }) => Math.floor(timestamp * 1000)),
          fills: [...new Set(fills.map(({ at }) => at))],
          balanceChanges: [...new Set(balanceChanges.filter(({ order_id }) => order_id !== undefined).map(({ at }) => at))],
          requests: requests.map(({ at }) => at),
        };
        const young = placed.filter((at) => at >= sandbox.clock.now() - retentionMs);
        for (const kept of Object.values(times)) {
          expect(kept).toEqual(expect.arrayContaining(young));
          expect(Math.min(...kept)).toBeGreaterThanOrEqual(sandbox.clock.now() - 2 * retentionMs);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is forgotten with all that was booked of it, and the balances stay', async () => {
    const sandbox = open({ retentionMs });
    await trade(sandbox, 30);
    expect(sandbox.ledger.orders.length).toBeLessThan(14);
    expect(sandbox.ledger.fills.length).toBeLessThan(14);
    expect(sandbox.ledger.requests.length).toBeLessThan(14);
    expect(sandbox.ledger.balanceChanges.every(({ reason }) => reason !== 'deposit')).toBe(true);
    expect(sandbox.ledger.balances().trade['BTC']).toBe('100.3');
  });

  it('is not in the history any more, and its identifier is free', async () => {
    const sandbox = open({ retentionMs });
    await buy(sandbox, 'mine');
    expect(await sendRaw({ sandbox }, history, { market, clientOrderId: 'mine' })).toMatchObject({ status: 200, body: { [market]: [{ clientOrderId: 'mine' }] } });
    sandbox.clock.advance(2 * retentionMs + 1);
    expect(await sendRaw({ sandbox }, history, { market, clientOrderId: 'mine' })).toMatchObject({ status: 422, body: { code: 30 } });
    expect(await buy(sandbox, 'mine')).toMatchObject({ status: 200 });
  });

  it('leaves its number to no other order', async () => {
    const sandbox = open({ retentionMs });
    const numbers = new Set<number>();
    for (let turn = 0; turn < 20; turn += 1) {
      sandbox.clock.advance(30_000);
      await buy(sandbox, `order-${turn}`);
      for (const { order_id } of sandbox.ledger.orders) numbers.add(order_id);
    }
    expect(numbers.size).toBe(20);
  });

  it('is kept for ever when nothing is said', async () => {
    const sandbox = open();
    await trade(sandbox, 30);
    expect([sandbox.ledger.orders.length, sandbox.ledger.fills.length, sandbox.ledger.requests.length]).toEqual([30, 30, 30]);
  });
});

describe('an order that rests', () => {
  it('is kept however long, is executed when its price comes, and is then kept for the retention', async () => {
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
});
