// After a kill, each order of the journal ends placed, not placed or unknown, and nothing is sent.
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientRegistry, createExchange, OrderJournal, recoverOrders, type JournaledOrder } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { retry } from 'rxjs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newFolder } from './recording/folders.js';
import { useFakeTimers } from './support/fake-timers.js';
import { watch } from './support/watch.js';

const market = 'BTC_USDT';
const endpoint = 'spot.placeStockMarketOrder';
const buy = { market, side: 'buy', amount: '0.01' } as const;
const placing = (client_order_id: string): JournaledOrder => ({ client_order_id, market, endpoint, state: 'placing' });

useFakeTimers();
let path = '';
beforeEach(() => {
  path = join(newFolder(), 'orders.jsonl');
});

/** A client that remembers nothing of another one, as after a kill. */
const restartedClient = (sandbox: Sandbox) =>
  createExchange({ ...sandbox.clientOptions(), registry: new ClientRegistry() });

describe('recoverOrders', () => {
  it('ends each pending order placed, or not placed by the last placed order of the journal, all at once', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const first = new OrderJournal(path);
    const before = createExchange(sandbox.clientOptions());
    watch(first.keep(before.spot.placeStockMarketOrder({ ...buy, client_order_id: 'known' })));
    // Of another endpoint, so that it does not help to prove the absence of the others.
    watch(before.spot.placeLimitOrder({ ...buy, price: '1000', client_order_id: 'executed' }));
    await vi.advanceTimersByTimeAsync(100);
    first.record({ ...placing('executed'), endpoint: 'spot.placeLimitOrder' });
    for (const id of ['never-sent', 'nor-this', 'nor-that']) first.record(placing(id));

    const journal = new OrderJournal(path);
    const seen = watch(recoverOrders(restartedClient(sandbox), journal));
    await vi.advanceTimersByTimeAsync(25_000);
    expect(seen).toMatchObject([
      { client_order_id: 'executed', outcome: 'placed', order: { client_order_id: 'executed' } },
      { client_order_id: 'never-sent', outcome: 'not-placed', error: { kind: 'not-placed' } },
      { client_order_id: 'nor-this', outcome: 'not-placed' },
      { client_order_id: 'nor-that', outcome: 'not-placed' },
    ]);
    expect(journal.pending).toEqual([]);
    expect(new OrderJournal(path).pending).toEqual([]);
    expect(sandbox.ledger.orders.length).toBe(2);
  });

  it('leaves an order pending whose absence nothing proves, and says why', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const journal = new OrderJournal(path);
    watch(restartedClient(sandbox).spot.placeLimitOrder({ ...buy, price: '1000', client_order_id: 'known' }));
    journal.record({ ...placing('known'), endpoint: 'spot.placeLimitOrder', state: 'placed' });
    journal.record(placing('a'));
    const seen = watch(recoverOrders(restartedClient(sandbox), journal));
    await vi.advanceTimersByTimeAsync(40_000);
    expect(seen).toMatchObject([{ outcome: 'unknown', error: { kind: 'lookup', outcome: 'unknown' } }]);
    const message = String((seen[0] as { error: unknown }).error);
    expect(message).toMatch(/no order of spot.placeStockMarketOrder has shown/);
    expect(message).not.toMatch(/orders.find.*orders.find/);
    expect(journal.pending).toEqual([placing('a')]);
  });
});

describe('the journal of orders', () => {
  it('has each order on disk before it is sent, and its outcome', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange(sandbox.clientOptions());
    const journal = new OrderJournal(path);
    const order$ = journal.keep(exchange.spot.placeStockMarketOrder({ ...buy, client_order_id: 'mine' }));
    expect(readFileSync(path, 'utf8')).toBe('');
    const seen = watch(order$);
    expect(new OrderJournal(path).pending).toEqual([placing('mine')]);
    expect(sandbox.ledger.orders).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toMatchObject([{ client_order_id: 'mine' }]);
    const read = new OrderJournal(path);
    expect([read.pending, read.placed]).toMatchObject([[], [{ client_order_id: 'mine', state: 'placed' }]]);
  });

  it('records a rejected order as not placed', async () => {
    const exchange = createExchange(createSandbox({ volatility: 0 }).clientOptions());
    const journal = new OrderJournal(path);
    watch(journal.keep(exchange.spot.placeStockMarketOrder({ ...buy, amount: '99999999' })));
    await vi.advanceTimersByTimeAsync(100);
    expect([journal.pending, journal.placed]).toEqual([[], []]);
    expect(readFileSync(path, 'utf8')).toContain('"not-placed"');
  });

  it('keeps an order pending that one subscriber sends again while another hears of its rejection', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange(sandbox.clientOptions());
    const journal = new OrderJournal(path);
    const order$ = journal.keep(exchange.spot.placeStockMarketOrder({ ...buy, amount: '99999999' }));
    watch(order$.pipe(retry(1)));
    watch(order$);
    const pending: number[] = [];
    const record = journal.record.bind(journal);
    vi.spyOn(journal, 'record').mockImplementation((order) => {
      record(order);
      pending.push(journal.pending.length);
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(pending).toEqual([0]);
  });

  it('is read wherever a kill cut its last line off, and written on', () => {
    const journal = new OrderJournal(path);
    journal.record(placing('first'));
    const whole = readFileSync(path, 'utf8').length;
    journal.record(placing('second'));
    const text = readFileSync(path, 'utf8');
    for (let length = whole; length < text.length; length += 1) {
      writeFileSync(path, text);
      truncateSync(path, length);
      const cut = new OrderJournal(path);
      expect(cut.pending).toEqual([placing('first')]);
      cut.record(placing('third'));
      expect(new OrderJournal(path).pending).toEqual([placing('first'), placing('third')]);
      cut.close();
    }
  });

  it('names a line that is not its own', () => {
    appendFileSync(path, '\n{"market":"BTC_USDT"}');
    expect(() => new OrderJournal(path)).toThrow(/orders.jsonl, line 2: /);
  });

  it('takes an identifier once: another order of it is refused before it is sent', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const journal = new OrderJournal(path);
    const limit = { ...buy, price: '1000', client_order_id: 'one' } as const;
    const place = (into: OrderJournal) => watch(into.keep(restartedClient(sandbox).spot.placeLimitOrder(limit)));
    const inFlight = place(journal);
    const refusal = {
      ...{ kind: 'request', outcome: 'not-executed', endpoint: 'spot.placeLimitOrder' },
      issues: [{ field: 'client_order_id' }],
    };
    expect(place(journal)).toMatchObject([refusal]);
    // As after a kill: the order is pending in the file, and open at the exchange.
    const restarted = new OrderJournal(path);
    expect(place(restarted)).toMatchObject([refusal]);
    expect(restarted.pending).toMatchObject([{ client_order_id: 'one' }]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(inFlight).toMatchObject([{ client_order_id: 'one' }]);
    expect(place(journal)).toMatchObject([refusal]);
    expect(sandbox.ledger.orders).toHaveLength(1);
  });

  it('can be read after an order without a market', () => {
    const journal = new OrderJournal(path);
    const exchange = createExchange(createSandbox().clientOptions());
    // As a program without types may call it.
    const params = JSON.parse(JSON.stringify({ ...buy, market: undefined })) as typeof buy;
    watch(journal.keep(exchange.spot.placeStockMarketOrder(params)));
    expect(new OrderJournal(path).pending).toEqual([]);
  });

  it('names no witness of an endpoint that dropped an identifier', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const { fetch, ...options } = sandbox.clientOptions();
    const exchange = createExchange({
      ...options,
      fetch: async (...request) => {
        const response = await fetch(...request);
        return new Response((await response.text()).replaceAll('"dropped"', '""'), response);
      },
    });
    const journal = new OrderJournal(path);
    for (const client_order_id of ['dropped', 'known']) {
      watch(journal.keep(exchange.spot.placeStockMarketOrder({ ...buy, client_order_id })));
      await vi.advanceTimersByTimeAsync(1000);
    }
    const { pending, placed } = new OrderJournal(path);
    expect({ pending, placed }).toEqual({ pending: [], placed: [] });
  });

  it('writes nothing after it was closed: the order has its outcome, and the process a warning', async () => {
    const warnings: string[] = [];
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => {
      warnings.push(String(warning));
    });
    const journal = new OrderJournal(path);
    const exchange = createExchange(createSandbox({ volatility: 0 }).clientOptions());
    const seen = watch(journal.keep(exchange.spot.placeStockMarketOrder({ ...buy, client_order_id: 'one' })));
    journal.close();
    journal.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toMatchObject([{ client_order_id: 'one' }]);
    expect(warnings).toEqual(['Error: the journal of orders is closed']);
    expect(new OrderJournal(path).pending).toEqual([placing('one')]);
    warned.mockRestore();
  });
});
