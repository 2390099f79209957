// Executions where premises fail: subscribers that leave within a callback, clocks that are set, histories that lag long.
import type { LiveExecutionItem } from 'exchange-rx';
import { take, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { DealsExchange, honest } from '../hostile/deals-exchange.js';
import { attack, ms } from '../hostile/hostile-exchange.js';
import { onFakeTime, seeded } from '../setup.js';

function setup(options: { readonly historyLagMs?: number } = {}) {
  const deals = new DealsExchange(seeded(1));
  const credentials = { apiKey: 'a-key-of-the-account', apiSecret: 'a-secret-of-the-account' };
  const all = { credentials, retry: { random: () => 0.5, maxRetries: 0 }, fetch: deals.fetch, ...options };
  const { world, exchange } = attack({}, all);
  deals.serve(world);
  return { world, deals, my: exchange.live.my };
}

type Setup = ReturnType<typeof setup>;

/** The indexes of executions in the ledger, as a subscriber gets them. */
function indexesOf({ deals }: Setup, items$: Observable<LiveExecutionItem>): number[] {
  const indexes: number[] = [];
  items$.subscribe((item) => {
    if (item.kind === 'execution') indexes.push(deals.deals.findIndex(({ id }) => id === item.execution.id));
  });
  return indexes;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const minuteAgo = () => Date.now() / 1000 - 60;

/** What goes on 100 s after the last subscriber has left. */
async function leftIn({ world, deals }: Setup) {
  const { reads } = deals;
  await ms(100_000);
  return { connections: world.open, reads: deals.reads - reads, timers: vi.getTimerCount() };
}

const nothing = { connections: 0, reads: 0, timers: 0 };

describe('a subscriber of executions that leaves when it gets an item', () => {
  onFakeTime();

  it('leaves nothing after an execution of the history', async () => {
    const all = setup();
    all.deals.execute();
    all.my.executions({ since: minuteAgo() }).pipe(take(1)).subscribe();
    await ms(1000);
    expect(await leftIn(all)).toEqual(nothing);
  });

  it('leaves nothing when it ends another subscriber, too', async () => {
    const all = setup();
    all.deals.execute();
    const since = minuteAgo();
    const second = all.my.executions({ since });
    const first = all.my.executions({ since }).subscribe(() => {
      first.unsubscribe();
      ended.unsubscribe();
    });
    const ended = second.subscribe();
    await ms(1000);
    expect(await leftIn(all)).toEqual(nothing);
  });

  it.each(['lost', 'unreadable'])('leaves nothing after a gap of a connection that was %s', async (how) => {
    const all = setup();
    all.my.executions().pipe(take(1)).subscribe();
    await ms(3000);
    if (how === 'lost') all.world.wire.cut();
    else all.world.wire.push('deals_update', [1, 2, 'BTC_USDT']);
    all.deals.execute();
    await ms(5000);
    expect(await leftIn(all)).toEqual(nothing);
  });
});

describe('executions of several markets', () => {
  onFakeTime();

  it('have no gap for an unreadable push before they are confirmed', async () => {
    const all = setup();
    const { on } = all.world;
    all.world.on = (got) => {
      if (got.method === 'deals_subscribe') got.wire.push('deals_update', [1, 2, 'BTC_USDT']);
      on(got);
    };
    const kinds: string[] = [];
    all.my.executions({ markets: ['BTC_USDT', 'ETH_USDT'] }).subscribe(({ kind }) => kinds.push(kind));
    await ms(5000);
    expect(kinds).toEqual([]);
    all.deals.execute('ETH_USDT');
    await ms(1000);
    expect(kinds).toEqual(['execution']);
  });
});

describe('the beginning of executions by the time of the exchange', () => {
  onFakeTime();

  /** The exchange responds to requests for its time with this error first, `times` times. */
  function setupWithoutTime(code: number, times: number) {
    const all = setup();
    const { on } = all.world;
    let count = 0;
    all.world.on = (got) => {
      const isTime = got.method === 'time';
      if (isTime) count += 1;
      if (isTime && count <= times) got.wire.no(got.id, code, 'no time');
      else on(got);
    };
    return { all, requested: () => count };
  }

  it('is retried while the request fails, and holds no pushed execution back', async () => {
    const { all, requested } = setupWithoutTime(5, 2);
    const seen: string[] = [];
    all.my.executions().subscribe((item) => seen.push(item.kind === 'gap' ? item.reason : item.kind));
    await ms(300);
    all.deals.execute();
    await ms(20_000);
    expect(requested()).toBe(3);
    expect(seen).toEqual(['unavailable', 'execution', 'unavailable']);
  });

  it('is by the clock of this machine where the exchange refuses to say its time', async () => {
    const { all, requested } = setupWithoutTime(1, Number.POSITIVE_INFINITY);
    const seen: string[] = [];
    all.my.executions().subscribe((item) => seen.push(item.kind === 'gap' ? item.reason : item.kind));
    await ms(50);
    all.deals.execute();
    await ms(20_000);
    expect(requested()).toBe(1);
    expect(seen).toEqual(['execution']);
  });

  it('leaves nothing when a subscriber leaves at the gap of a request that fails', async () => {
    const { all } = setupWithoutTime(5, Number.POSITIVE_INFINITY);
    all.my.executions().pipe(take(1)).subscribe();
    await ms(5000);
    expect(await leftIn(all)).toEqual(nothing);
  });
});

describe('the audit of executions', () => {
  onFakeTime();

  it('leaves nothing when a subscriber leaves at the gap of an unreadable record', async () => {
    const all = setup();
    all.my.executions().pipe(take(1)).subscribe();
    await ms(10_000);
    const record = { id: 7, time: Date.now() / 1000, price: '1', amount: '1', orderId: 8 };
    all.deals.refusal = { status: 200, body: { BTC_USDT: [record, { id: 'x' }] } };
    await ms(60_000);
    expect(await leftIn(all)).toEqual(nothing);
  });

  it('reports no gap when the history cannot be read while every push comes', async () => {
    const all = setup();
    const kinds: string[] = [];
    all.my.executions().subscribe(({ kind }) => kinds.push(kind));
    await ms(10_000);
    all.deals.restIsDown = true;
    await ms(100_000);
    all.deals.execute();
    await ms(100_000);
    expect(kinds).toEqual(['execution']);
  });
});

describe('executions of an exchange that keeps no rule', () => {
  onFakeTime();

  it('are complete after an outage when the history lags by less than historyLagMs', async () => {
    const all = setup({ historyLagMs: 120_000 });
    const indexes = indexesOf(all, all.my.executions());
    await ms(3000);
    all.world.refusesConnections = true;
    all.world.wire.cut();
    all.deals.lies = { ...honest, lagging: 1, maxLagMs: 118_000 };
    for (const _ of upTo(30)) {
      all.deals.execute();
      await ms(5000);
    }
    all.world.refusesConnections = false;
    await ms(400_000);
    expect(indexes.toSorted((one, other) => one - other)).toEqual(upTo(30));
  });

  it('go on when it responds to a history without executions with the published 422', async () => {
    const all = setup();
    const seen: string[] = [];
    all.deals.refusal = {
      status: 422,
      body: { code: 30, message: 'Validation failed', errors: { orderHistory: ['OrderHistory was not found.'] } },
    };
    all.my.executions().subscribe({
      next: ({ kind }) => seen.push(kind),
      error: (error: unknown) => seen.push(String(error)),
    });
    await ms(70_000);
    all.deals.execute();
    await ms(1000);
    expect(seen).toEqual(['execution']);
    // The push is lost, and the history has it now.
    all.deals.lies = { ...honest, lost: 1 };
    all.deals.execute();
    all.deals.refusal = undefined;
    await ms(70_000);
    expect(seen).toEqual(['execution', 'gap', 'execution']);
  });

  it('are emitted after the exchange has set its clock back by an hour', async () => {
    const all = setup();
    const indexes = indexesOf(all, all.my.executions());
    await ms(3000);
    for (const clockMs of [0, 0, -3_600_000, -3_600_000]) {
      all.deals.clockMs = clockMs;
      all.deals.execute();
      await ms(70_000);
    }
    expect(indexes).toEqual(upTo(4));
  });

  it('are complete when its pages have at most 100', async () => {
    const all = setup();
    all.deals.maxPage = 100;
    for (const _ of upTo(350)) {
      all.deals.execute();
      await ms(10);
    }
    const indexes = indexesOf(all, all.my.executions({ since: minuteAgo() }));
    await ms(10_000);
    expect(indexes).toEqual(upTo(350));
  });
});
