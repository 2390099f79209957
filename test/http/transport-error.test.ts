// What a request that got no answer came to, by what `fetch` failed with.
import { createExchange, type Fetch } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { transportError } from '../../src/http/index.js';
import { failureOf } from '../support/failure.js';

const failed = (message: string, fields: object) => Object.assign(new Error(message), fields);
const toldOf = (error: unknown) =>
  transportError('ping', error, { redact: (text) => text, connectTimeoutMs: 5000, isWritten: true });

describe('a request is not sent', () => {
  it.each([
    ['when its connection is refused', failed('connect', { code: 'ECONNREFUSED' })],
    ['when its host has no address', failed('getaddrinfo', { code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['when there is no way to connect', failed('connect EHOSTUNREACH', { code: 'EHOSTUNREACH', syscall: 'connect' })],
    [
      'when there is no way to any of its addresses',
      Object.assign(
        new AggregateError([
          failed('a', { code: 'ENETUNREACH', syscall: 'connect' }),
          failed('b', { code: 'EHOSTUNREACH', syscall: 'connect' }),
        ]),
        { code: 'ENETUNREACH' },
      ),
    ],
  ])('%s', (_, cause) => {
    expect(toldOf(new TypeError('fetch failed', { cause }))).toMatchObject({
      kind: 'transport',
      outcome: 'not-executed',
    });
  });
});

describe('what became of a request is not known', () => {
  it.each([
    [
      'when the way to its host is lost while it is read',
      failed('read EHOSTUNREACH', { code: 'EHOSTUNREACH', syscall: 'read' }),
    ],
    [
      'when the network is lost while it is written',
      failed('write ENETUNREACH', { code: 'ENETUNREACH', syscall: 'write' }),
    ],
    [
      'when one of several was lost later',
      Object.assign(
        new AggregateError([
          failed('a', { code: 'EHOSTUNREACH', syscall: 'connect' }),
          failed('b', { code: 'EHOSTUNREACH', syscall: 'read' }),
        ]),
        { code: 'EHOSTUNREACH' },
      ),
    ],
    ['when nothing says how it was lost', failed('EHOSTUNREACH', { code: 'EHOSTUNREACH' })],
    ['when its connection is reset', failed('read', { code: 'ECONNRESET', syscall: 'read' })],
    ['when it is no error at all', 'lost'],
    ['when nothing is said', undefined],
  ])('%s', (_, error) => {
    expect(toldOf(error)).toMatchObject({ kind: 'transport', outcome: 'unknown' });
  });

  it('and an order is looked for, not sent again', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const { fetch: send, ...options } = sandbox.clientOptions();
    const fetch: Fetch = async (url, init) => {
      const answer = await send(url, init);
      if (url.endsWith('/order/stock_market'))
        throw new TypeError('fetch failed', {
          cause: failed('read EHOSTUNREACH', { code: 'EHOSTUNREACH', syscall: 'read' }),
        });
      return answer;
    };
    const { order_id } = await firstValueFrom(
      createExchange({ ...options, fetch }).spot.placeStockMarketOrder({
        market: 'BTC_USDT',
        side: 'buy',
        amount: '0.01',
      }),
    );
    expect(sandbox.ledger.orders.map((order) => order.order_id)).toEqual([order_id]);
  });
});

describe('an error that a fetch of one’s own fails with', () => {
  const circle = new Error('round');
  circle.cause = circle;
  it.each([
    ['whose cause is itself', circle],
    ['without a name', Object.assign(new Error('x'), { name: undefined })],
    ['whose message is a number', Object.assign(new Error('x'), { message: 7 })],
    ['whose stack is a list', Object.assign(new Error('x'), { stack: ['a', 'b'] })],
    ['of several that are none', new AggregateError([undefined, 7, 'x'])],
  ])('%s is told as ours', async (_, error) => {
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      retry: false,
      fetch: () => Promise.reject(error),
    });
    expect(await failureOf(exchange.public.ping())).toMatchObject({ kind: 'transport', outcome: 'none' });
  });
});
