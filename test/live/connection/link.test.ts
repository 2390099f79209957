// The next attempt of a lost connection at once: what it shortens, and what it does not.
import { describe, expect, it } from 'vitest';
import { Redactor } from '../../../src/http/index.js';
import { RequestRate } from '../../../src/live/connection/connection.js';
import { Link, type LiveState } from '../../../src/live/connection/link.js';
import type { SocketEnd, SocketHandlers } from '../../../src/live/connection/socket.js';
import { onFakeTime, seconds } from '../setup.js';

/** A link whose sockets are driven by hand, with a bound on its connections. */
async function needed(burst = 100) {
  const sockets: SocketHandlers[] = [];
  const states: LiveState[] = [];
  const link = new Link({
    url: 'wss://exchange.example/ws',
    open: (_, handlers) => {
      sockets.push(handlers);
      return { send: () => undefined, terminate: () => undefined };
    },
    redactor: new Redactor(),
    connects: new RequestRate({ burst, perSecond: 0.01 }),
    random: () => 1,
    report: (state) => states.push(state),
  });
  const need = link.needed$.subscribe();
  await seconds(0);
  const end = (reason: SocketEnd = {}) => sockets.at(-1)?.onEnd(reason);
  return { link, states, need, end, attempts: () => sockets.length };
}

describe('the next attempt of a lost connection at once', () => {
  onFakeTime();

  it('ends the delay, and leaves one timer less', async () => {
    const { link, end, attempts, need } = await needed();
    for (let loss = 0; loss < 8; loss += 1) {
      end();
      await seconds(loss === 7 ? 0 : 31);
    }
    const before = attempts();
    link.tryNow();
    expect(attempts()).toBe(before + 1);
    link.tryNow();
    await seconds(31);
    expect(attempts()).toBe(before + 1);
    end();
    need.unsubscribe();
    await seconds(60);
    expect(attempts()).toBe(before + 1);
  });

  it('does not make the delays after it shorter', async () => {
    const { link, end, attempts } = await needed();
    end();
    link.tryNow();
    end();
    await seconds(0.9);
    expect(attempts()).toBe(2);
    await seconds(0.2);
    expect(attempts()).toBe(3);
  });

  it.each<[string, SocketEnd, number]>([
    ['403', { status: 403 }, 5],
    ['429', { status: 429 }, 5],
    ['503 with Retry-After', { status: 503, retryAfterMs: 60_000 }, 59],
  ])('does not come while the exchange has refused it with %s', async (_, reason, forSeconds) => {
    const { link, end, attempts, states } = await needed();
    end(reason);
    const { length } = states;
    link.tryNow();
    await seconds(forSeconds);
    link.tryNow();
    expect([attempts(), states.length]).toEqual([1, length]);
    await seconds(2);
    expect(attempts()).toBe(2);
  });

  it('does not exceed the bound on connections', async () => {
    const { link, end, attempts } = await needed(2);
    end();
    link.tryNow();
    end();
    for (let tries = 0; tries < 20; tries += 1) {
      link.tryNow();
      await seconds(1);
    }
    expect(attempts()).toBe(2);
  });

  it('does nothing for a connection that is open, being made, or not needed', async () => {
    const { link, states, need } = await needed();
    link.tryNow();
    need.unsubscribe();
    await seconds(0);
    link.tryNow();
    expect(states.map(({ status }) => status)).toEqual(['connecting', 'idle']);
  });
});
