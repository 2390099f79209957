// With a real clock, messages come by a timer that runs while a connection is open.
import { createSandbox } from 'exchange-rx/sandbox';
import { expect, it, vi } from 'vitest';
import { useFakeTimers } from '../../support/fake-timers.js';

useFakeTimers();

it('with a real clock messages come on time, and no timer is left after the last connection', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  expect(vi.getTimerCount()).toBe(0);
  const sockets = ['depth', 'market'].map(() => new sandbox.WebSocket('wss://exchange.sandbox.test/ws'));
  const [one, other] = sockets;
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(1);
  one?.send('{"id":1,"method":"market_subscribe","params":["BTC_USDT"]}');
  await vi.advanceTimersByTimeAsync(3000);
  expect(sandbox.ledger.live.pushes).toEqual({ market: 4 });
  one?.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(1);
  other?.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});

it('an open connection in process does not keep the process alive', async () => {
  // Without the timers that keep no process alive.
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const socket = new (createSandbox().WebSocket)('wss://exchange.sandbox.test/ws');
  await new Promise((resolve) => {
    socket.addEventListener('open', resolve);
  });
  expect(timers()).toBe(before);
  socket.close();
});
