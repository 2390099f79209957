// One connection over a socket that is driven by hand: late events, cancelled requests, the order of what waits.
import { describe, expect, it, vi } from 'vitest';
import { Redactor } from '../../../src/http/index.js';
import {
  Connection,
  readMessage,
  type ConnectionEnd,
  type RequestEnd,
} from '../../../src/live/connection/connection.js';
import type { SocketHandlers } from '../../../src/live/connection/socket.js';
import { blockFor, onFakeTime, seconds } from '../setup.js';

function opening() {
  const sent: string[] = [];
  const seen: string[] = [];
  const ends: ConnectionEnd[] = [];
  const sockets: SocketHandlers[] = [];
  const terminate = vi.fn();
  const connection = new Connection(
    (_, handlers) => {
      sockets.push(handlers);
      return { send: (text) => sent.push(text), terminate };
    },
    'wss://exchange.example/ws',
    new Redactor(),
    {
      onOpen: () => seen.push('open'),
      onPush: (method) => seen.push(method),
      onSecond: () => undefined,
      onEnd: (end) => ends.push(end),
    },
  );
  const [socket] = sockets;
  if (socket === undefined) throw new Error('the connection opened no socket');
  const responses: RequestEnd[] = [];
  const request = (method: string, isVital = true) =>
    connection.request(method, [], isVital).subscribe((end) => responses.push(end));
  const methods = () => sent.map((text) => (JSON.parse(text) as { method: string }).method);
  return { connection, socket, seen, ends, responses, request, methods, terminate };
}

function opened() {
  const all = opening();
  all.socket.onOpen();
  return all;
}

const push = JSON.stringify({ id: null, method: 'lastprice_update', params: ['BTC_USDT', '1'] });

describe('a connection', () => {
  onFakeTime();

  it('reports a request that it cannot send as lost and not sent, later', async () => {
    const { request, responses, methods } = opening();
    const subscription = request('depth_subscribe');
    expect(responses).toEqual([]);
    await seconds(0);
    expect(responses).toEqual([{ type: 'lost' }]);
    subscription.unsubscribe();
    expect(methods()).toEqual([]);
  });

  it('reads no frame before it is open', () => {
    const { socket, seen } = opening();
    socket.onFrame(push);
    socket.onOpen();
    socket.onFrame(push);
    expect(seen).toEqual(['open', 'lastprice_update']);
  });

  it('reports nothing after it was closed, and leaves no timer', async () => {
    const { connection, socket, seen, ends, request, responses, terminate } = opened();
    request('depth_subscribe');
    request('trades_subscribe');
    connection.close();
    connection.close();
    socket.onOpen();
    socket.onFrame(push);
    socket.onEnd({ code: 1006 });
    await seconds(60);
    expect({ seen, ends, responses }).toEqual({ seen: ['open'], ends: [], responses: [] });
    expect(terminate).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([undefined, '{"id":null'])('ends at an unreadable frame, of whatever stream: %j', (frame) => {
    const { socket, ends } = opened();
    socket.onFrame(frame);
    expect(ends).toEqual([{ reason: 'unreadable' }]);
  });

  it('ends once, with the first reason, and with it every request', () => {
    const { connection, socket, ends, request, responses } = opened();
    request('depth_subscribe');
    request('trades_subscribe');
    connection.end('unauthorized', { retryAfterMs: 5000 });
    connection.end('dead');
    socket.onEnd({ code: 1006 });
    expect(ends).toEqual([{ reason: 'unauthorized', retryAfterMs: 5000 }]);
    expect(responses).toEqual([{ type: 'lost' }, { type: 'lost' }]);
  });

  it('does not send a query that was cancelled in the same turn', async () => {
    const { request, methods } = opened();
    request('trades_request', false).unsubscribe();
    request('depth_request', false);
    await seconds(0);
    expect(methods()).toEqual(['depth_request']);
  });

  it('does not send a query whose connection ends in the same turn', async () => {
    const { connection, request, responses, methods } = opened();
    request('trades_request', false);
    connection.end('lost');
    await seconds(1);
    expect(responses).toEqual([{ type: 'lost' }]);
    expect(methods()).toEqual([]);
  });

  it('lives on when a query has no response, and ends when a subscription has none', async () => {
    const { ends, socket, request } = opening();
    socket.onOpen();
    request('trades_request', false);
    const pushes = setInterval(() => {
      socket.onFrame(push);
    }, 1000);
    await seconds(15);
    expect(ends).toEqual([]);
    request('depth_subscribe');
    await seconds(12);
    clearInterval(pushes);
    expect(ends).toEqual([{ reason: 'dead' }]);
  });

  it('sends subscriptions before queries', async () => {
    const { request, methods } = opened();
    request('trades_request', false);
    request('depth_subscribe');
    request('trades_subscribe');
    await seconds(5);
    expect(methods()).toEqual(['depth_subscribe', 'trades_subscribe', 'trades_request']);
  });

  it('keeps its requests when this process was blocked', async () => {
    const { ends, socket, request, responses } = opened();
    request('depth_subscribe');
    request('trades_subscribe');
    blockFor(9);
    await seconds(2);
    expect(ends).toEqual([]);
    socket.onFrame(JSON.stringify({ id: 1, result: 'one', error: null }));
    socket.onFrame(JSON.stringify({ id: 2, result: 'two', error: null }));
    expect(responses.map(({ type }) => type)).toEqual(['result', 'result']);
  });

  it('pings, and lives on, when each turn of the event loop takes more than a second', async () => {
    const { ends, methods } = opened();
    for (let turn = 0; turn < 8; turn += 1) {
      blockFor(2);
      await seconds(1);
    }
    expect(methods()).toContain('ping');
    expect(ends).toEqual([]);
  });
});

describe('a frame', () => {
  it.each<[what: string, text: string]>([
    ['cut', '{"id":null,"method":"depth_update","params":[false,{"update_id":10'],
    ['empty', ''],
    ['too large for its names and values', JSON.stringify({ id: null, params: Array(80_001).fill(1) })],
    ['too deep', `{"id":null,"params":${'['.repeat(65)}${']'.repeat(65)}}`],
    ['of another kind', '[]'],
    ['without a method', JSON.stringify({ id: null, params: [false, {}, 'A_USDT'] })],
    ['with a method that is no text', JSON.stringify({ id: null, method: 7, params: [] })],
    ['an error of no request', JSON.stringify({ id: null, result: null, error: { code: 2, message: 'no' } })],
    ['a response whose id is a text', JSON.stringify({ id: '1', result: { status: 'success' }, error: null })],
    ['an empty object', '{}'],
  ])('that is %s is unreadable', (_, text) => {
    expect(readMessage(text)).toBeUndefined();
  });

  it('whose error has another form is a refusal all the same', () => {
    const refusalOf = (error: unknown) => readMessage(JSON.stringify({ id: 1, result: null, error }));
    const refused = (code: unknown, message: string) => ({ type: 'response', id: 1, refusal: { code, message } });
    expect(refusalOf('no such market')).toMatchObject(refused(undefined, 'no such market'));
    expect(refusalOf({ code: '1', message: 2 })).toMatchObject(refused(undefined, ''));
    expect(refusalOf(7)).toMatchObject(refused(undefined, ''));
  });
});
