// Markets are checked against the exchange's list before they are subscribed.
import { LiveRefusedError } from 'exchange-rx';
import { retry, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { accountSetup } from './my/account-exchange.js';
import { listing, onFakeTime, seconds, setup } from './setup.js';
import { collected, errorsOf } from '../support/watch.js';

onFakeTime();

describe('a market that the exchange does not list', () => {
  it('ends its own stream before anything is sent, on every channel', async () => {
    const { fetch, reads } = listing(['A_USDT', 'B_USDT']);
    const { server, exchange } = setup({}, { fetch });
    const { live } = exchange;
    const prices = collected(live.lastPrice({ markets: ['A_USDT'] }), ({ price }) => price);
    const streams: readonly Observable<unknown>[] = [
      live.lastPrice({ markets: ['BAD_USDT'] }),
      live.bookTicker({ markets: ['BAD_USDT', 'B_USDT'] }),
      live.trades({ markets: ['BAD_USDT'] }),
      live.orderBook({ market: 'BAD_USDT' }),
      live.candles({ market: 'BAD_USDT', interval: '1m' }),
    ];
    const errors = streams.map(errorsOf);
    await seconds(1);
    for (const error of errors.flat()) expect(error).toBeInstanceOf(LiveRefusedError);
    expect(errors.flat()).toMatchObject(
      ['lastPrice', 'bookTicker', 'trades', 'orderBook', 'candles'].map((name) => ({
        ...{ endpoint: `live.${name}`, key: 'BAD_USDT', code: undefined, outcome: 'none' },
        exchangeMessage: 'the exchange lists no such market',
      })),
    );
    server.connections[0]?.push('lastprice_update', ['A_USDT', '1']);
    await seconds(1);
    expect(prices).toEqual(['1']);
    expect(server.script).toEqual(['1 lastprice_subscribe ["A_USDT"]']);
    expect(reads).toHaveLength(1);
  });

  it('costs a stream that is retried at once one read of the list in 5 s', async () => {
    const { fetch, reads } = listing(['A_USDT']);
    const { server, exchange } = setup({}, { fetch });
    const one = exchange.live
      .lastPrice({ markets: ['BAD_USDT'] })
      .pipe(retry())
      .subscribe();
    await seconds(60);
    one.unsubscribe();
    expect(reads.length).toBeGreaterThan(5);
    expect(reads.length).toBeLessThanOrEqual(13);
    expect(server.script).toEqual([]);
    await seconds(20);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is looked up again by a stream that is retried at once, beside another stream that waits for the list', async () => {
    const names = ['A_USDT'];
    const { fetch } = listing(names);
    const { server, exchange } = setup({}, { fetch });
    exchange.live
      .lastPrice({ markets: ['NEW_USDT'] })
      .pipe(retry())
      .subscribe();
    exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
    await seconds(20);
    names.push('NEW_USDT');
    await seconds(10);
    expect(server.script.at(-1)).toBe('1 lastprice_subscribe ["A_USDT","NEW_USDT"]');
  });

  it('of a listed market that the exchange refuses all the same, the list is read before the next subscription', async () => {
    const { fetch, reads } = listing(['A_USDT']);
    const { server, exchange } = setup({}, { fetch });
    server.react = ({ connection, id }) => {
      connection.refuse(id, 9, 'market A_USDT does not exist');
    };
    const errors = errorsOf(exchange.live.lastPrice({ markets: ['A_USDT'] }).pipe(retry(2)));
    const subscribed = () => server.script.filter((line) => line.includes('_subscribe'));
    await seconds(4);
    expect(subscribed()).toHaveLength(1);
    await seconds(20);
    expect(subscribed()).toHaveLength(3);
    expect(errors).toMatchObject([{ code: 9, key: 'A_USDT' }]);
    expect(reads).toHaveLength(3);
  });
});

it.each([
  ['cannot be read', () => Promise.resolve(new Response('', { status: 404 }))],
  ['does not arrive', () => new Promise<Response>(() => undefined)],
  ['is empty', () => Promise.resolve(Response.json([]))],
  ['has an unreadable record', () => Promise.resolve(Response.json([{ name: 'OTHER_USDT' }, { name: 5 }]))],
])('markets are subscribed unchecked when the list of markets %s', async (_, fetch) => {
  const { server, exchange } = setup({}, { fetch });
  exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
  await seconds(5);
  expect(server.script).toEqual(['1 lastprice_subscribe ["A_USDT"]']);
});

it('a refused subscription of the account costs a stream that is retried at once one request in 5 s', async () => {
  const { account, server, exchange } = accountSetup();
  account.refuse('_subscribe', 1, 'invalid argument');
  const all = exchange.live.my.positionEvents().pipe(retry()).subscribe();
  await seconds(60);
  all.unsubscribe();
  const count = server.script.filter((line) => line.includes('_subscribe')).length;
  expect(count).toBeGreaterThan(5);
  expect(count).toBeLessThanOrEqual(13);
});
