// Margin calls and liquidations on the private channels: one event when a state begins.
import { expect, it } from 'vitest';
import { sendRaw } from '../../contract/setup.js';
import { doors } from './doors.js';
import { authorized } from './script.js';

const market = 'BTC_PERP';

/** An account with a long position of 60,030 USDT and a balance of 10,000 USDT: it is liquidated below 50,342. */
async function held() {
  const world = await doors['in process']({
    markets: [{ name: market, price: '60000', stockPrec: 3, depth: { levels: 3, step: 0.001, size: '50' } }],
    accounts: [{ name: 'main', balances: { collateral: { USDT: '10000' } } }],
  });
  const { sandbox } = world;
  const client = await authorized(world);
  await client.request('positionsAccountMargin_subscribe', []);
  const order = { market, side: 'buy', amount: '1' };
  expect((await sendRaw({ sandbox }, '/api/v4/order/collateral/market', order)).status).toBe(200);
  /** The events of a move of the price: their numbers and the stage of the position. */
  const move = async (price: string) => {
    sandbox.market(market).setPrice(price);
    sandbox.clock.advance(100);
    const frames = await client.rest();
    return frames.map(({ params: [event, position] }) => [event, (position as { liq_stage: string }).liq_stage]);
  };
  return { sandbox, move };
}

it('a margin call is sent once, and again after the account had recovered', async () => {
  const { move } = await held();
  expect(await move('55000')).toEqual([]);
  expect(await move('50500')).toEqual([[1, 'margin_call']]);
  expect(await move('50450')).toEqual([]);
  expect(await move('55000')).toEqual([]);
  expect(await move('50500')).toEqual([[1, 'margin_call']]);
});

it('a liquidation without an offer in the market is sent once', async () => {
  const { sandbox, move } = await held();
  sandbox.market(market).setDepth({ levels: 0, step: 0.001, size: '50' });
  expect(await move('50000')).toEqual([[2, 'liquidation']]);
  expect(await move('49000')).toEqual([]);
});
