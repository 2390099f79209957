// The order book of a naive reader is the sandbox's book at every update ID, whatever happens in the market.
import * as fc from 'fast-check';
import type { Sandbox } from 'exchange-rx/sandbox';
import { expect, it } from 'vitest';
import { sendRaw } from '../../contract/setup.js';
import { doors } from './doors.js';

const market = 'BTC_USDT';
type Row = readonly [string, string];
interface DepthData {
  readonly update_id: number;
  readonly past_update_id?: number;
  readonly asks?: readonly Row[];
  readonly bids?: readonly Row[];
}

/** Applies messages as the exchange's documentation says, by number and not by text, without truncating. */
class Reader {
  updateId = 0;
  snapshots = 0;
  readonly #sides = { asks: new Map<number, Row>(), bids: new Map<number, Row>() };

  apply([isFull, data]: readonly [boolean, DepthData]): void {
    if (isFull) {
      this.snapshots += 1;
      this.#sides.asks.clear();
      this.#sides.bids.clear();
    } else {
      expect(data.past_update_id).toBe(this.updateId);
      expect(data.update_id).toBeGreaterThan(this.updateId);
    }
    this.updateId = data.update_id;
    for (const side of ['asks', 'bids'] as const) {
      for (const [price, amount] of data[side] ?? []) {
        if (Number(amount) === 0) expect(this.#sides[side].delete(Number(price))).toBe(true);
        else this.#sides[side].set(Number(price), [price, amount]);
      }
    }
  }

  get book() {
    const sorted = (side: 'asks' | 'bids', sign: number) =>
      [...this.#sides[side]].sort(([one], [other]) => sign * (one - other)).map(([, row]) => row);
    return { asks: sorted('asks', 1), bids: sorted('bids', -1) };
  }
}

const between = (min: number, max: number) => fc.integer({ min, max });
const side = fc.constantFrom('buy', 'sell');
const advance = (ms: fc.Arbitrary<number>) => fc.record({ do: fc.constant('advance' as const), ms });
const order = { do: fc.constant('limit' as const), side, price: between(59_900, 60_100), amount: between(1, 900) };
const take = { do: fc.constant('take' as const), side, amount: between(1, 2000) };
const step = fc.oneof(
  { weight: 3, arbitrary: advance(between(1, 3000)) },
  { weight: 1, arbitrary: advance(fc.constant(11_000)) },
  { weight: 3, arbitrary: fc.record(order) },
  { weight: 2, arbitrary: fc.record(take) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), index: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price' as const), price: between(59_950, 60_050) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('depth' as const), levels: between(0, 8) }) },
);

async function act(sandbox: Sandbox, one: typeof step extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> {
  const send = (path: string, fields: Record<string, unknown>) => sendRaw({ sandbox }, path, { market, ...fields });
  if (one.do === 'advance') sandbox.clock.advance(one.ms);
  else if (one.do === 'price') sandbox.market(market).setPrice(String(one.price));
  else if (one.do === 'depth') sandbox.market(market).setDepth({ levels: one.levels, step: 0.0003, size: '0.7' });
  else if (one.do === 'take')
    await send('/api/v4/order/stock_market', { side: one.side, amount: (one.amount / 1000).toFixed(3) });
  else if (one.do === 'limit')
    await send('/api/v4/order/new', {
      ...{ side: one.side, price: String(one.price), amount: (one.amount / 1000).toFixed(3) },
    });
  else {
    const open = sandbox.ledger.orders.filter(({ status }) => status === 'NEW' || status === 'PARTIAL_FILLED');
    const chosen = open[one.index % Math.max(1, open.length)];
    if (chosen !== undefined) await send('/api/v4/order/cancel', { orderId: chosen.order_id });
  }
}

it.each([
  { limit: 5, volatility: 0 },
  { limit: 1, volatility: 0.0002 },
  { limit: 100, volatility: 0.0002 },
])(
  'the depth channel gives a reader of $limit levels the book of each update ID, with volatility $volatility',
  async ({ limit, volatility }) => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const { sandbox, connect } = await doors['in process']({
          volatility,
          markets: [{ name: market, price: '60000', depth: { levels: 6, step: 0.0002, size: '0.4' } }],
        });
        const reader = new Reader();
        const client = await connect();
        const compare = async () => {
          for (const { method, params } of await client.rest()) {
            if (method === undefined) continue;
            reader.apply(params as [boolean, DepthData]);
            expect(reader.book).toEqual(sandbox.ledger.live.bookAt(market, reader.updateId, limit));
            compared += 1;
          }
        };
        client.send({ id: 1, method: 'depth_subscribe', params: [market, limit, '0', true] });
        await compare();
        for (const one of steps) {
          await act(sandbox, one);
          await compare();
        }
        sandbox.clock.advance(10_100);
        await compare();
        expect(reader.snapshots).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
    expect(compared).toBeGreaterThan(100);
  },
);
