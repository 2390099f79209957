// Queries on the live connection.
import { LiveRefusedError, TimeoutError, TransportError } from 'exchange-rx';
import { describe, expect, it, vi } from 'vitest';
import { onFakeTime, seconds, setup } from './setup.js';

describe('live queries', () => {
  onFakeTime();

  it('open a connection, send one request, and close it', async () => {
    const { server, exchange } = setup();
    server.react = ({ connection, id }) => {
      connection.respond(id, 1795316400);
    };
    const seen: unknown[] = [];
    exchange.live.time().subscribe({ next: (time) => seen.push(time), complete: () => seen.push('complete') });
    await seconds(1);
    expect(seen).toEqual([1795316400, 'complete']);
    expect(server.script).toEqual(['1 time []']);
    expect(server.open).toBe(0);
  });

  it('fail with a typed error when they are refused, lost, late or unreadable', async () => {
    const { server, exchange } = setup();
    const errors: unknown[] = [];
    const query = () => {
      exchange.live.time().subscribe({ error: (error: unknown) => errors.push(error) });
      return seconds(1);
    };
    server.react = ({ connection, id }) => {
      connection.refuse(id, 1, 'invalid argument');
    };
    await query();
    server.react = ({ connection }) => {
      connection.end();
    };
    await query();
    server.react = ({ connection, id }) => {
      connection.respond(id, 'noon');
    };
    await query();
    server.accepts = 'never';
    await query();
    await seconds(10);
    expect(errors[0]).toBeInstanceOf(LiveRefusedError);
    expect(errors[1]).toBeInstanceOf(TransportError);
    expect(errors[2]).toMatchObject({ kind: 'response', outcome: 'none' });
    expect(errors[3]).toBeInstanceOf(TimeoutError);
    expect(errors[3]).toMatchObject({ outcome: 'none' });
  });

  it('that have no response leave the connection to the streams', async () => {
    const { server, exchange } = setup();
    server.react = (request) => {
      if (request.method !== 'time') server.confirm(request);
    };
    exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe();
    await seconds(0.5);
    const errors: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      exchange.live.time().subscribe({ error: (error: unknown) => errors.push(error) });
      await seconds(15);
    }
    expect(errors).toHaveLength(5);
    expect(errors[0]).toBeInstanceOf(TimeoutError);
    expect(server.connections).toHaveLength(1);
  });

  it('are sent after every subscription when the connection is new', async () => {
    const { server, exchange } = setup();
    const books = Array.from({ length: 300 }, (_, index) => `M${index}_USDT`);
    exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe();
    for (const market of books) exchange.live.orderBook({ market }).subscribe();
    await seconds(5);
    server.accepts = false;
    server.last.end();
    await vi.advanceTimersByTimeAsync(0);
    exchange.live.time().subscribe({ error: () => undefined });
    server.accepts = true;
    await seconds(5);
    const sent = server.script.filter((line) => line.startsWith('2 '));
    expect(sent).toHaveLength(1 + 300 + 1);
    expect(sent.at(-1)).toBe('2 time []');
  });

  it('whose subscriber has gone are not sent', async () => {
    const { server, exchange } = setup();
    // As many requests as may be sent at once: later ones wait.
    for (let index = 0; index < 200; index += 1) exchange.live.orderBook({ market: `M${index}_USDT` }).subscribe();
    await seconds(0.01);
    for (let count = 0; count < 10; count += 1) exchange.live.time().subscribe().unsubscribe();
    exchange.live.ticker({ markets: ['BTC_USDT'] }).subscribe();
    await seconds(120);
    expect(server.script).not.toContain('1 time []');
    expect(server.script).toContain('1 market_subscribe ["BTC_USDT"]');
  });
});
