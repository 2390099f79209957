// Sockets of a user's own class: what the class may do, and what the connection hears of it.
import { describe, expect, it } from 'vitest';
import { maxFrameBytes, type SocketEnd } from '../../../src/live/connection/socket.js';
import { standardSockets, type StandardWebSocketEvent } from '../../../src/live/connection/socket.js';

/** A class without `terminate`, as in browsers; it records the calls of its methods, which may throw. */
function opening(doMethodsThrow = false) {
  const listeners = new Map<string, (event: StandardWebSocketEvent) => void>();
  const calls: string[] = [];
  const record = (call: string) => {
    calls.push(call);
    if (doMethodsThrow) throw new Error('of the class');
  };
  class Recorded {
    addEventListener(type: string, listener: (event: StandardWebSocketEvent) => void): void {
      listeners.set(type, listener);
    }
    send(text: string): void {
      record(`send ${text}`);
    }
    close(): void {
      record('close');
    }
  }
  const frames: (string | undefined)[] = [];
  const ends: SocketEnd[] = [];
  const socket = standardSockets(Recorded)('wss://exchange.example/ws', {
    onOpen: () => calls.push('open'),
    onFrame: (text) => frames.push(text),
    onEnd: (end) => ends.push(end),
  });
  const emit = (type: string, event: StandardWebSocketEvent = {}) => listeners.get(type)?.(event);
  return { socket, calls, frames, ends, emit };
}

describe('a socket of a standard class', () => {
  it('that opens after it was terminated is closed, and is not reported', () => {
    const { socket, calls, emit } = opening();
    socket.terminate();
    emit('open');
    expect(calls).toEqual(['close', 'close']);
  });

  it('ends, later, when send throws; a close that throws is ignored', async () => {
    const { socket, calls, ends } = opening(true);
    socket.send('one');
    expect({ calls, ends }).toEqual({ calls: ['send one', 'close'], ends: [] });
    await Promise.resolve();
    expect(ends).toEqual([{}]);
    expect(() => {
      socket.terminate();
    }).not.toThrow();
  });

  it('reports no frame and no end after it was terminated', () => {
    const { socket, frames, ends, emit } = opening();
    emit('open');
    emit('message', { data: 'one' });
    socket.terminate();
    emit('message', { data: 'two' });
    emit('error');
    emit('close', { code: 1000 });
    expect({ frames, ends }).toEqual({ frames: ['one'], ends: [] });
  });

  it.each([
    ['binary', new ArrayBuffer(1)],
    ['too long', 'x'.repeat(maxFrameBytes + 1)],
    ['empty of data', undefined],
  ])('reports a frame that is %s as unreadable', (_, data) => {
    const { frames, emit } = opening();
    emit('message', { data });
    expect(frames).toEqual([undefined]);
  });

  it.each([
    [{ code: 4000 }, { code: 4000 }],
    [{}, {}],
  ])('ends once, with the code of its class, if there is one: %j', (event, expected) => {
    const { ends, emit } = opening();
    emit('close', event);
    emit('close', { code: 1006 });
    expect(ends).toEqual([expected]);
  });
});
