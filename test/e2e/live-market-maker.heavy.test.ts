// The market maker of the recipes, as a program of its own: what the ledger has after its connections were lost, its
// requests failed, and its process was killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { BigNumber } from 'bignumber.js';
import { createExchange } from 'exchange-rx';
import type { Sandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi, type TestContext } from 'vitest';
import { textOf } from '../support/documents.js';
import { createProject, kill } from '../support/example-programs.js';

const file = 'live-market-maker.ts';
const market = 'BTC_USDT';

const clientOptions = `{
  baseUrl: process.env.EXCHANGE_BASE_URL,
  credentials: { apiKey: process.env.EXCHANGE_API_KEY, apiSecret: process.env.EXCHANGE_API_SECRET },
}`;
/** The example, but that its exchange is another process, and that a signal ends it. */
const code = textOf(`docs/examples/${file}`)
  .replace(/^const sandbox = .*$/m, '')
  .replace('sandbox.clientOptions()', clientOptions)
  .replace(/\n\/\/ For the demonstration[^]*$/, "\nprocess.once('SIGTERM', () => stop$.next());\n");

describe('the market maker of the recipes', () => {
  const project = createProject();
  project.write(file, code);

  /** A sandbox whose book is wide, so that the quotes are its best prices; the program; and who trades with it. */
  async function start(context: TestContext) {
    const depth = { levels: 3, step: 0.01, size: '1' };
    const balances = { trade: { BTC: '10', USDT: '600000' }, collateral: { USDT: '600000' } };
    const { sandbox, ...world } = await project.onExchange(context, {
      markets: [
        { name: market, price: '60000', depth },
        { name: 'BTC_PERP', price: '60000' },
      ],
      accounts: [
        { name: 'maker', balances },
        { name: 'taker', balances },
      ],
    });
    const program = world.start(file);
    const { spot } = createExchange(sandbox.clientOptions('taker'));
    const take = (side: 'buy' | 'sell', amount = '0.004') =>
      firstValueFrom(spot.placeStockMarketOrder({ market, side, amount }));
    await vi.waitFor(() => {
      expect(openQuotes(sandbox)).toHaveLength(2);
    }, waiting);
    return { sandbox, program, take };
  }

  it.concurrent(
    'hedges each execution once while connections are cut, messages are lost and requests fail',
    { timeout: 240_000 },
    async (context) => {
      const { sandbox, program, take } = await start(context);
      for (const side of ['buy', 'sell'] as const) await take(side);
      await vi.waitFor(() => {
        expect(hedges(sandbox)).toHaveLength(2);
      }, waiting);
      sandbox.fault({ kind: 'reset', path: hedging }); // retried after a proof that it does not exist
      for (let round = 0; quoteFills(sandbox).length < 14; round += 1) {
        const executed = round % 2 === 0;
        if (round % 5 === 1) sandbox.liveFault({ kind: 'cut' });
        if (round % 4 === 2) sandbox.liveFault({ kind: 'silent-loss', channel: 'deals' });
        if (round % 3 === 1) sandbox.fault({ kind: 'reset', path: hedging, executed: true });
        if (round % 4 === 3) sandbox.fault({ kind: 'truncated', path: '/api/v4/order/new' });
        if (round % 3 === 2) sandbox.fault({ kind: 'status', path: '/api/v4/order/cancel', executed });
        if (round % 6 === 5) sandbox.fault({ kind: 'status', path: '/api/v4/trade-account/executed-history' });
        await take(executed ? 'buy' : 'sell');
        await sleep(700);
      }
      program.kill('SIGTERM');
      expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
      expect(openQuotes(sandbox)).toEqual([]);
      const wanted = quoteFills(sandbox).map(
        ({ id, order_id, side, amount }) => `hedge-${id}-${order_id} ${side === 'buy' ? 'sell' : 'buy'} ${amount}`,
      );
      const placed = hedges(sandbox).map(
        ({ client_order_id, side, deal_stock }) => `${client_order_id} ${side} ${deal_stock}`,
      );
      expect(placed.toSorted()).toEqual(wanted.toSorted());
      const ofMaker = sandbox.ledger.fills.filter(({ account }) => account === 'maker');
      const position = ofMaker.reduce(
        (sum, { side, amount }) => (side === 'buy' ? sum.plus(amount) : sum.minus(amount)),
        new BigNumber(0),
      );
      expect(position.toFixed()).toBe('0');
    },
  );

  it.concurrent('cancels its quotes at once when the connections are lost', { timeout: 120_000 }, async (context) => {
    const { sandbox } = await start(context);
    const quotes = openQuotes(sandbox).map(({ order_id }) => order_id);
    sandbox.liveFault({ kind: 'refuse', times: 6 });
    const cutAt = Date.now();
    sandbox.liveFault({ kind: 'cut' });
    sandbox.liveFault({ kind: 'cut' });
    await vi.waitFor(() => {
      expect(openQuotes(sandbox)).toEqual([]);
    }, waiting);
    // Sooner than the kill switch, which fires 4 s after the cut at the earliest.
    expect(Date.now() - cutAt).toBeLessThan(3500);
    const canceled = sandbox.ledger.requests.filter(({ path }) => path === '/api/v4/order/cancel');
    expect(canceled.map(({ order_id }) => order_id)).toEqual(expect.arrayContaining(quotes));
    await vi.waitFor(() => {
      expect(openQuotes(sandbox)).toHaveLength(2);
    }, waiting);
  });

  it.concurrent('stops at an order in doubt, and leaves no quote behind', { timeout: 120_000 }, async (context) => {
    const { sandbox, program, take } = await start(context);
    sandbox.fault({ kind: 'reset', path: '/api/v4/order/new', executed: true });
    for (const path of ['/api/v4/orders', '/api/v4/trade-account/order/history'])
      sandbox.fault({ kind: 'status', path, times: 1000 });
    await take('buy', '0.01');
    const ended = await program.ended;
    expect(ended.code).toBe(1);
    const [, inDoubt] = /^stopping: .*client_order_id: '(quote-\d+-\w+-\d+)'/s.exec(ended.stderr) ?? [];
    const order = sandbox.ledger.orders.find(({ client_order_id }) => client_order_id === inDoubt);
    expect(order).toMatchObject({ status: 'CANCELED' });
    expect(openQuotes(sandbox)).toEqual([]);
    expect(hedges(sandbox)).toMatchObject([{ side: 'buy', deal_stock: '0.01' }]);
  });

  it.concurrent('leaves no quote behind when its process is killed', { timeout: 120_000 }, async (context) => {
    const { sandbox, program } = await start(context);
    await kill(program);
    await sleep(6000);
    expect(openQuotes(sandbox)).toEqual([]);
  });
});

const waiting = { timeout: 60_000, interval: 50 };

const hedging = '/api/v4/order/collateral/market';

function openQuotes({ ledger }: Sandbox) {
  return ledger.orders.filter(
    ({ client_order_id, ftime }) => client_order_id.startsWith('quote-') && ftime === undefined,
  );
}

function quoteFills({ ledger }: Sandbox) {
  return ledger.fills.filter(({ client_order_id }) => client_order_id.startsWith('quote-'));
}

function hedges({ ledger }: Sandbox) {
  return ledger.orders.filter(({ client_order_id }) => client_order_id.startsWith('hedge-'));
}
