// What keeps one subscriber, one record or one server from spoiling the executions and orders of the others.
import { retry, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Fetch, LiveExecutionItem } from 'exchange-rx';
import { ExecutionSequence } from '../../../src/live/my/execution-sequence.js';
import { readHistory } from '../../../src/live/my/execution-history.js';
import type { Execution } from '../../../src/model/execution.js';
import { DealsExchange, keyOf } from '../hostile/deals-exchange.js';
import { attack, ms } from '../hostile/hostile-exchange.js';
import { onFakeTime, seeded } from '../setup.js';
import { accountSetup, json } from './account-exchange.js';

const market = 'BTC_USDT';

function setup() {
  const deals = new DealsExchange(seeded(1));
  const listed = { name: market, stock: 'BTC', money: 'USDT', stockPrec: '6', moneyPrec: '2' };
  const fetch: Fetch = (...request) => {
    const isList = request[0].endsWith('/public/markets');
    return isList ? Promise.resolve(Response.json([listed])) : deals.fetch(...request);
  };
  const credentials = { apiKey: 'key', apiSecret: 'secret' };
  const { world, exchange } = attack({}, { credentials, retry: { random: () => 0.5, maxRetries: 0 }, fetch });
  deals.serve(world);
  const items: string[] = [];
  const textOf = (item: LiveExecutionItem) =>
    item.kind === 'gap'
      ? `${item.reason} ${item.filled ? 'filled' : 'not filled'}`
      : `#${deals.deals.findIndex((deal) => keyOf(deal) === `${item.execution.id}/${item.execution.order_id}`)}`;
  return {
    ...{ world, exchange, deals, items },
    add: (item: LiveExecutionItem) => items.push(textOf(item)),
  };
}

describe('the executions of a subscriber', () => {
  onFakeTime();

  it('come at once after a reconnect, beside a market that is retried until it is listed', async () => {
    const { world, exchange, deals, items, add } = setup();
    exchange.live.my
      .executions({ markets: ['NEW_USDT'] })
      .pipe(retry())
      .subscribe();
    exchange.live.my.executions({ markets: [market] }).subscribe(add);
    await ms(20_000);
    world.wire.cut();
    deals.execute(market);
    await ms(10_000);
    expect(items).toEqual(['reconnect not filled', '#0', 'reconnect filled']);
  });

  it('are read after a reconnect, although the exchange does not say its time to a new subscriber', async () => {
    const { world, exchange, deals, items, add } = setup();
    exchange.live.my.executions().subscribe(add);
    await ms(5000);
    const { on } = world;
    world.on = (got) => {
      if (got.method === 'time') got.wire.answer(got.id, 'soon');
      else on(got);
    };
    exchange.live.my.executions().subscribe();
    await ms(5000);
    world.wire.cut();
    deals.execute(market);
    await ms(10_000);
    expect(items).toEqual(['reconnect not filled', '#0', 'reconnect filled']);
  });
});

describe('a record of the history that cannot be read', () => {
  const texts = (items: readonly LiveExecutionItem[]) =>
    items.map((item) => (item.kind === 'gap' ? `${item.reason} ${String(item.filled)}` : 'execution'));
  const read = (unreadable: number) => ({ executions: [], unreadable });

  it('keeps the outage open in which it was found', () => {
    const sequence = new ExecutionSequence({}, 1000);
    sequence.bridge(read(0), 'first', 1000);
    expect(texts(sequence.interrupt('unreadable', 1010))).toEqual([]);
    expect(texts(sequence.bridge(read(1), 'first', 1011))).toEqual(['unreadable false', 'unreadable false']);
    expect(texts(sequence.bridge(read(1), 'late', 1013))).toEqual([]);
  });

  it('is reported in each outage: it may be another one', () => {
    const sequence = new ExecutionSequence({}, 1000);
    sequence.bridge(read(1), 'first', 1000);
    sequence.interrupt('reconnect', 2010);
    expect(texts(sequence.bridge(read(1), 'first', 2011))).toEqual(['reconnect false', 'unreadable false']);
  });
});

it('the history of a server that does not know startDate is read to startDate', () => {
  const startDate = 1_700_000_000;
  let pages = 0;
  readHistory(
    ({ endDate = startDate + 100 }) => {
      pages += 1;
      const one: Execution = {
        ...{ id: pages, order_id: pages, client_order_id: '', time: endDate - 10, market },
        ...{ price: '1', amount: '1', deal: '1' },
      };
      return of({ executions: Array.from({ length: 100 }, () => one), unreadable: 0 });
    },
    startDate,
    true,
  )
    .pipe(toArray())
    .subscribe();
  expect(pages).toBeLessThan(15);
});

describe('open orders', () => {
  onFakeTime();

  it('are stale while one of them cannot be read', async () => {
    const all = accountSetup();
    const order = {
      ...{ orderId: 5, clientOrderId: 'c5', market, side: 'buy', type: 'limit', timestamp: 1, dealMoney: '0' },
      ...{ dealStock: '0', amount: '1', left: '1', dealFee: '0', price: '10', status: 'OPEN' },
    };
    all.account.rest = (path) => json(200, path.endsWith('/orders') ? [order, { ...order, orderId: {} }] : {});
    const seen: string[] = [];
    all.exchange.live.my
      .openOrders({ markets: [market] })
      .subscribe(({ status, orders }) => seen.push(`${status} ${[...orders.keys()].join()}`));
    await ms(10_000);
    expect(seen).toEqual(['stale 5']);
  });
});
