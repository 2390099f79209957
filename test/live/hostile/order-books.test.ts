// Order books of an exchange with latency: limits that change, subscriptions that come and go, chains that break.
import type { LiveOrderBook } from 'exchange-rx';
import { retry, firstValueFrom, map, Subject, switchMap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { attack, delta, depthServer, ms, snapshot } from './hostile-exchange.js';
import { onFakeTime } from '../setup.js';

const short = (book: LiveOrderBook) => `${book.status} ${book.bids.length}+${book.asks.length}`;

describe('order books', () => {
  onFakeTime();

  it('a refused book does not end the books of other markets (depth_unsubscribe [] clears all)', async () => {
    const { world, exchange } = attack();
    const subscribed = depthServer(world, ['BAD_USDT']);
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe();
    await ms(1000);
    exchange.live.orderBook({ market: 'BAD_USDT' }).subscribe({ error: () => undefined });
    await ms(1000);
    expect(world.log).not.toContain('1 depth_unsubscribe []');
    expect([...subscribed.keys()]).toEqual(['A_USDT']);
  });

  it('nor does a book that is left while its subscription is to be tried again (code 7)', async () => {
    const { world, exchange } = attack();
    const subscribed = depthServer(world);
    const react = world.on;
    world.on = (got) => {
      if (got.params[0] === 'B_USDT') got.wire.no(got.id, 7, 'too many requests');
      else react(got);
    };
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe();
    await ms(1000);
    const b = exchange.live.orderBook({ market: 'B_USDT' }).subscribe();
    await ms(100);
    b.unsubscribe();
    await ms(5000);
    expect(world.log).not.toContain('1 depth_unsubscribe []');
    expect([...subscribed.keys()]).toEqual(['A_USDT']);
  });

  it('unsubscribed and subscribed in one turn with more levels: no book of 5 levels poses as one of 100', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    const limit$ = new Subject<5 | 100>();
    const seen: string[] = [];
    limit$.pipe(switchMap((limit) => exchange.live.orderBook({ market: 'A_USDT', limit }))).subscribe((book) => {
      seen.push(short(book));
    });
    limit$.next(5);
    await ms(1000);
    limit$.next(100);
    await ms(1000);
    world.wire.push('depth_update', snapshot('A_USDT', 1000, 5)); // the keepalive of the old subscription
    await ms(1000);
    expect(seen).toEqual(['live 5+5', 'live 100+100']);
  });

  it('a wish for more levels while the first subscription is in flight is not lost', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    world.latencyMs = 150;
    const seen: string[] = [];
    exchange.live.orderBook({ market: 'A_USDT', limit: 5 }).subscribe();
    await ms(100);
    exchange.live.orderBook({ market: 'A_USDT', limit: 100 }).subscribe((book) => seen.push(short(book)));
    await ms(5000);
    expect(seen).not.toContain('live 5+5');
    expect(seen).toContain('live 100+100');
  });

  it('firstValueFrom twice in a row on a busy market gives a book twice', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    let id = 1000;
    const timer = setInterval(() => {
      if (world.open === 0) return;
      world.wire.push('depth_update', delta('A_USDT', id, id + 1));
      id += 1;
    }, 100);
    let count = 0;
    const run = async (): Promise<void> => {
      await firstValueFrom(exchange.live.orderBook({ market: 'A_USDT' }));
      count = 1;
      await firstValueFrom(exchange.live.orderBook({ market: 'A_USDT' }));
      count = 2;
    };
    const running = run();
    await ms(120_000);
    clearInterval(timer);
    await running;
    expect(count).toBe(2);
  });

  it('retry() after a refusal requests the same number of levels, not 0', async () => {
    const { world, exchange } = attack();
    const react = (bad: string[]) => depthServer(world, bad);
    react(['A_USDT']);
    exchange.live
      .orderBook({ market: 'A_USDT' })
      .pipe(retry(3))
      .subscribe({ error: () => undefined });
    await ms(30_000);
    expect(world.log.filter((line) => line.includes('depth_subscribe'))).toEqual(
      Array(4).fill('1 depth_subscribe ["A_USDT",100,"0",true]'),
    );
  });

  it('a renewal while another request of the book is in flight is not lost: no book is stale for ever', async () => {
    const { world, exchange } = attack();
    // Push before answer: the snapshot, and a delta that breaks the chain, precede the confirmation.
    let subscribes = 0;
    world.on = ({ wire, id, method }) => {
      if (method !== 'depth_subscribe') {
        wire.ok(id);
        return;
      }
      subscribes += 1;
      wire.push('depth_update', snapshot('A_USDT', 1000, 100));
      if (subscribes === 1) wire.push('depth_update', delta('A_USDT', 1005, 1006));
      wire.ok(id);
    };
    const seen: string[] = [];
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe((book) => seen.push(book.status));
    let last = 1006;
    const timer = setInterval(() => {
      if (subscribes === 1) world.wire.push('depth_update', delta('A_USDT', last, ++last));
    }, 100);
    await ms(120_000);
    clearInterval(timer);
    expect(seen.slice(0, 3)).toEqual(['live', 'stale', 'live']);
  });

  it('one halted market does not replace the connection of all others for ever', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe();
    exchange.live.orderBook({ market: 'HALTED_USDT' }).subscribe();
    const timer = setInterval(() => {
      if (world.open > 0) world.wire.push('depth_update', snapshot('A_USDT', 1000, 100));
    }, 5000);
    await ms(600_000);
    clearInterval(timer);
    expect(world.wires.length).toBeLessThan(5);
  });

  it('a snapshot of the old, smaller subscription after the confirmation of the larger one is not a thin book', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    const seen: string[] = [];
    exchange.live.orderBook({ market: 'A_USDT', limit: 5 }).subscribe();
    await ms(1000);
    const react = world.on;
    world.on = ({ wire, id }) => {
      wire.ok(id);
      wire.push('depth_update', snapshot('A_USDT', 1000, 5)); // the keepalive of the old one, on its way
      setTimeout(() => {
        wire.push('depth_update', snapshot('A_USDT', 1001, 100));
      }, 300);
    };
    exchange.live.orderBook({ market: 'A_USDT', limit: 100 }).subscribe((book) => seen.push(short(book)));
    await ms(2000);
    world.on = react;
    expect(seen).toEqual(['live 100+100']);
  });

  it('a snapshot older than the live book does not turn it back', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    const seen: string[] = [];
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe((book) => seen.push(`${book.status} ${book.updateId}`));
    await ms(1000);
    world.wire.push('depth_update', delta('A_USDT', 1000, 1001));
    world.wire.push('depth_update', snapshot('A_USDT', 900, 100));
    await ms(1000);
    expect(seen).not.toContain('live 900');
  });

  it('more levels of a thin market, whose snapshot precedes the confirmation, arrive', async () => {
    const { world, exchange } = attack();
    world.on = ({ wire, id, method }) => {
      if (method === 'depth_subscribe') wire.push('depth_update', snapshot('A_USDT', 1000, 3));
      wire.ok(id);
    };
    exchange.live.orderBook({ market: 'A_USDT', limit: 5 }).subscribe();
    await ms(1000);
    const seen: number[] = [];
    exchange.live.orderBook({ market: 'A_USDT', limit: 100 }).subscribe(({ bids }) => seen.push(bids.length));
    await ms(100);
    for (let id = 1001; id < 1200; id += 1) {
      world.wire.push('depth_update', delta('A_USDT', id - 1, id, [['98.75', String(id)]]));
      await ms(100);
    }
    expect(seen.length).toBeGreaterThan(0);
  });

  it.each([
    ['at once', 0],
    ['within one round trip', 100],
    ['one after the other', 1000],
  ])('of several limits, wanted %s, have their levels', async (_, pauseMs) => {
    const { world, exchange } = attack();
    depthServer(world);
    world.latencyMs = 150;
    const seen: string[] = [];
    for (const limit of [100, 10, 50, 5, 100, 30] as const) {
      exchange.live.orderBook({ market: 'A_USDT', limit }).subscribe((book) => seen.push(`${limit}: ${short(book)}`));
      await ms(pauseMs);
    }
    await ms(30_000);
    const wrong = seen.filter((line) => !/^(\d+): (?:live|stale) \1\+\1$/.test(line));
    expect(wrong).toEqual([]);
    for (const limit of [100, 10, 50, 5, 30]) expect(seen).toContain(`${limit}: live ${limit}+${limit}`);
  });

  it.each([30, 90, 130, 170, 200])(
    'of one subscriber who changes the limit each %s ms have its levels',
    async (pauseMs) => {
      const { world, exchange } = attack();
      world.latencyMs = 100;
      let updateId = 1000;
      // The snapshot follows the confirmation, and is longer on its way.
      world.on = ({ wire, id, method, params }) => {
        wire.ok(id);
        if (method === 'depth_subscribe') updateId += 1000;
        const frame = snapshot('A_USDT', updateId, Number(params[1]));
        if (method === 'depth_subscribe')
          setTimeout(() => {
            wire.push('depth_update', frame);
          }, 120);
      };
      const limit$ = new Subject<10 | 50 | 100>();
      const seen: string[] = [];
      exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
      limit$
        .pipe(
          switchMap((limit) =>
            exchange.live.orderBook({ market: 'A_USDT', limit }).pipe(map((book) => `${limit}: ${short(book)}`)),
          ),
        )
        .subscribe((line) => seen.push(line));
      await ms(1000);
      for (const limit of [100, 10, 50] as const) {
        limit$.next(limit);
        await ms(pauseMs);
      }
      await ms(10_000);
      expect(seen.filter((line) => !/^(\d+): (?:live|stale) \1\+\1$/.test(line))).toEqual([]);
      expect(seen).toContain('50: live 50+50');
    },
  );

  it('keep their levels when the subscriber of the most leaves while the others come', async () => {
    const { world, exchange } = attack();
    depthServer(world);
    world.latencyMs = 100;
    const seen: string[] = [];
    const listen = (limit: 10 | 50 | 100) =>
      exchange.live.orderBook({ market: 'A_USDT', limit }).subscribe((book) => seen.push(`${limit}: ${short(book)}`));
    const first = listen(100);
    listen(10);
    await ms(250);
    first.unsubscribe();
    await ms(120);
    listen(50);
    await ms(30_000);
    expect(seen.filter((line) => !/^(\d+): (?:live|stale) \1\+\1$/.test(line))).toEqual([]);
    expect(seen).toContain('50: live 50+50');
  });
});
