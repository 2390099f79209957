// Connections and subscriptions of programs that come and go.
import { LiveRefusedError } from 'exchange-rx';
import { describe, expect, it, vi } from 'vitest';
import { attack, ms } from './hostile-exchange.js';
import { onFakeTime } from '../setup.js';

describe('connections', () => {
  onFakeTime();

  it('a refusal that names a good market does not fail an innocent new one', async () => {
    const { server, exchange } = attack();
    const errors: string[] = [];
    const gone = new Set<string>();
    server.react = ({ connection, id, params }) => {
      const found = params.find((market): market is string => typeof market === 'string' && gone.has(market));
      if (found === undefined) connection.confirm(id);
      else connection.refuse(id, 9, `market ${found} does not exist`);
    };
    const listen = (market: string) =>
      exchange.live.lastPrice({ markets: [market] }).subscribe({
        error: (error: unknown) => errors.push(error instanceof LiveRefusedError ? `${market}: ${error.key}` : 'other'),
      });
    listen('OLD_USDT');
    await ms(1000);
    gone.add('OLD_USDT'); // delisted
    listen('NEW_USDT');
    await ms(5000);
    expect(errors).toEqual(['OLD_USDT: OLD_USDT']);
  });

  it('nothing is left after the last subscriber has gone: no timer of a request to be tried again', async () => {
    const { server, exchange } = attack();
    server.react = ({ connection, id }) => {
      connection.refuse(id, 7, 'too many requests');
    };
    const one = exchange.live.premiumIndex().subscribe();
    await ms(4000);
    one.unsubscribe();
    await ms(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('candles of 200 pairs open at most 100 connections at once, and 5 a second after that', async () => {
    const { server, exchange } = attack();
    for (let index = 0; index < 200; index += 1) {
      exchange.live.candles({ market: `M${index}_USDT`, interval: '1m' }).subscribe();
    }
    await ms(1000);
    expect(server.connections.length).toBeLessThanOrEqual(105);
  });

  it('the state of a connection that the rate of connections holds back does not say that one was lost', async () => {
    const { exchange } = attack();
    const reasons: string[] = [];
    exchange.live.state$.subscribe((state) => {
      if (state.status === 'waiting') reasons.push(state.reason);
    });
    for (let index = 0; index < 120; index += 1) {
      const one = exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
      await ms(10);
      one.unsubscribe();
      await ms(10);
    }
    expect(new Set(reasons)).toEqual(new Set(['connection-rate']));
  });

  it('the first loss after hours of a good connection starts from the first delay, though users left in between', async () => {
    const { server, exchange } = attack();
    server.accepts = false;
    const one = exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
    await ms(60_000);
    server.accepts = true;
    await ms(3_600_000);
    one.unsubscribe();
    await ms(60_000);
    exchange.live.lastPrice({ markets: ['A_USDT'] }).subscribe();
    await ms(5000);
    const before = server.connections.length;
    server.last.end();
    await ms(1000);
    expect(server.connections.length).toBe(before + 1);
  });
});
