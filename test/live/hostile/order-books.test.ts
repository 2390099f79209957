// Order books of an exchange with latency: limits that change, subscriptions that come and go, chains that break.
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { attack, delta, depthServer, ms, snapshot } from './hostile-exchange.js';
import { onFakeTime } from '../setup.js';

describe('order books', () => {
  onFakeTime();

  it('a refused book does not end the books of other markets (depth_unsubscribe [] clears all)', async () => {
    const { server, exchange } = attack();
    const subscribed = depthServer(server, ['BAD_USDT']);
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe();
    await ms(1000);
    exchange.live.orderBook({ market: 'BAD_USDT' }).subscribe({ error: () => undefined });
    await ms(1000);
    expect(server.script).not.toContain('1 depth_unsubscribe []');
    expect([...subscribed.keys()]).toEqual(['A_USDT']);
  });

  it('nor does a book that is left while its subscription is to be tried again (code 7)', async () => {
    const { server, exchange } = attack();
    const subscribed = depthServer(server);
    const react = server.react;
    server.react = (got) => {
      if (got.params[0] === 'B_USDT') got.connection.refuse(got.id, 7, 'too many requests');
      else react(got);
    };
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe();
    await ms(1000);
    const b = exchange.live.orderBook({ market: 'B_USDT' }).subscribe();
    await ms(100);
    b.unsubscribe();
    await ms(5000);
    expect(server.script).not.toContain('1 depth_unsubscribe []');
    expect([...subscribed.keys()]).toEqual(['A_USDT']);
  });

  it('firstValueFrom twice in a row on a busy market gives a book twice', async () => {
    const { server, exchange } = attack();
    depthServer(server);
    let id = 1000;
    const timer = setInterval(() => {
      if (server.open === 0) return;
      server.last.push('depth_update', delta('A_USDT', id, id + 1));
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

  it('a renewal while another request of the book is in flight is not lost: no book is stale for ever', async () => {
    const { server, exchange } = attack();
    // Push before answer: the snapshot, and a delta that breaks the chain, precede the confirmation.
    let subscribes = 0;
    server.react = ({ connection, id, method }) => {
      if (method !== 'depth_subscribe') {
        connection.confirm(id);
        return;
      }
      subscribes += 1;
      connection.push('depth_update', snapshot('A_USDT', 1000, 100));
      if (subscribes === 1) connection.push('depth_update', delta('A_USDT', 1005, 1006));
      connection.confirm(id);
    };
    const seen: string[] = [];
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe((book) => seen.push(book.status));
    let last = 1006;
    const timer = setInterval(() => {
      if (subscribes === 1) server.last.push('depth_update', delta('A_USDT', last, ++last));
    }, 100);
    await ms(120_000);
    clearInterval(timer);
    expect(seen.slice(0, 3)).toEqual(['live', 'stale', 'live']);
  });

  it('a snapshot older than the live book does not turn it back', async () => {
    const { server, exchange } = attack();
    depthServer(server);
    const seen: string[] = [];
    exchange.live.orderBook({ market: 'A_USDT' }).subscribe((book) => seen.push(`${book.status} ${book.updateId}`));
    await ms(1000);
    server.last.push('depth_update', delta('A_USDT', 1000, 1001));
    server.last.push('depth_update', snapshot('A_USDT', 900, 100));
    await ms(1000);
    expect(seen).not.toContain('live 900');
  });
});
