// A message names the mistake that callers make, and what to pass instead.
import { createExchange, type Endpoint } from 'exchange-rx';
import { orders, spot } from 'exchange-rx/endpoints';
import { createSandbox } from 'exchange-rx/sandbox';
import { afterEach, expect, it, vi } from 'vitest';
import { callUntyped } from '../support/endpoints.js';
import { failureOf } from '../support/failure.js';

const exchange = createExchange(createSandbox({ volatility: 0 }).clientOptions());
const market = 'BTC_USDT';
const odd = { market: 'btc/usdt', side: 'buy', amount: '0.1', price: '50000' };

afterEach(() => {
  vi.useRealTimers();
});

const milliseconds = 1_795_459_160_191;
const notSeconds =
  'must be Unix seconds, an integer from 0 to 99999999999; 1795459160191 looks like milliseconds: pass 1795459160';
const unknown = 'is not a parameter of orders.history; did you mean';

it.each<[object, Endpoint, string]>([
  [{ startDate: milliseconds }, orders.history, `startDate 1795459160191 ${notSeconds}`],
  [{ startDate: new Date(milliseconds) }, orders.history, `startDate 2026-11-23T18:39:20.191Z ${notSeconds}`],
  [{ clientOrderId: 'mine' }, orders.history, `clientOrderId ${unknown} client_order_id?`],
  [{ orderId: 12 }, orders.history, `orderId ${unknown} order_id?`],
  [{ symbol: 'BTC_USDT' }, orders.history, `symbol ${unknown} market?`],
  [{ market, order_id: '12' }, orders.cancel, 'order_id "12" must be an integer: pass 12 without quotes'],
  [odd, spot.placeLimitOrder, 'market "btc/usdt" must be a market such as "BTC_USDT"; did you mean "BTC_USDT"?'],
])('the message of a call with %j says what to pass', async (params, endpoint, message) => {
  const error = await failureOf(callUntyped(exchange, endpoint, params));
  expect(error).toMatchObject({ kind: 'request', message: `${endpoint.name}: ${message}` });
});

it('the message of a call with parameters by position names the parameters by name', async () => {
  const message =
    'spot.placeLimitOrder: params "BTC_USDT" must be an object with the parameters by name, such as { market: … }';
  // @ts-expect-error parameters by position
  const call$ = exchange.spot.placeLimitOrder('BTC_USDT', 'buy', '0.1', '50000');
  expect(await failureOf(call$)).toMatchObject({ kind: 'request', message });
});

it('the message of a base URL with the path of the interface says that calls add it', () => {
  expect(() => createExchange({ baseUrl: 'https://exchange.example/api/v4/' })).toThrow(
    'createExchange: baseUrl must not end in /api/v4: each call adds its path',
  );
});

it('the message of a call that was retried says how often, and how long', async () => {
  const sandbox = createSandbox();
  sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', status: 503, times: 3 });
  const retry = { maxRetries: 2, baseDelayMs: 1 };
  const exchange = createExchange({ ...sandbox.clientOptions(), retry });
  expect(await failureOf(exchange.public.ping())).toMatchObject({
    message: expect.stringMatching(/^public\.ping: HTTP 503.* \(after 3 attempts in \d+\.\d s\)$/) as string,
  });
});

it('the message of a call counts the attempts of its own subscription', async () => {
  vi.useFakeTimers();
  const sandbox = createSandbox();
  sandbox.fault({ kind: 'status', path: '/api/v4/order/cancel', status: 503, times: 9 });
  const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
  const cancel$ = exchange.orders.cancel({ market: 'BTC_USDT', order_id: 1 });
  const ended = async () => {
    const [failure] = await Promise.all([failureOf(cancel$), vi.advanceTimersByTimeAsync(60_000)]);
    return failure;
  };
  await ended();
  expect(String(await ended())).not.toContain('attempts');
});

it('the message of a refused key says what the reason means', async () => {
  const credentials = { apiKey: 'nonsense-key', apiSecret: 'nonsense-secret' };
  const refused = createExchange({ ...createSandbox().clientOptions(), credentials });
  expect(await failureOf(refused.spot.balance())).toMatchObject({
    message: 'spot.balance: HTTP 401, code 10: Unauthorized request. (the secret is wrong, or the key is unknown)',
  });
});
