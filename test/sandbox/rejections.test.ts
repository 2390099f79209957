// Requests that the sandbox rejects as the exchange does, and mistakes in a test that would otherwise pass unnoticed.
import { createExchange } from 'exchange-rx';
import { createSandbox, type FaultKind, type Sandbox } from 'exchange-rx/sandbox';
import { createHmac } from 'node:crypto';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { rawAnswer, sendRaw } from '../contract/setup.js';
import { failureOf } from '../support/failure.js';
import { faultOf } from '../support/fault-of.js';

const market = 'BTC_USDT';
const stock = '/api/v4/order/stock_market';
const limit = '/api/v4/order/collateral/limit';
const history = '/api/v4/trade-account/order/history';
const killSwitch = '/api/v4/order/kill-switch';
const limitOrder = { market, side: 'buy', amount: '0.01', price: '50000' };

describe('a request', () => {
  it.each([
    [
      'a client order ID that is too long',
      stock,
      { market, side: 'buy', amount: '0.01', clientOrderId: 'x'.repeat(65) },
      36,
      'clientOrderId',
    ],
    ['a flag that is not a boolean', limit, { ...limitOrder, rpi: 'yes' }, 30, 'rpi'],
    ['an invalid position side', limit, { ...limitOrder, positionSide: 'UP' }, 114, 'positionSide'],
    ['a stop loss with reduceOnly', limit, { ...limitOrder, reduceOnly: true, stopLoss: '40000' }, 30, 'reduceOnly'],
    [
      'a take profit with reduceOnly',
      limit,
      { ...limitOrder, reduceOnly: true, takeProfit: '70000' },
      30,
      'reduceOnly',
    ],
    ['a kill switch below its range', killSwitch, { market, timeout: '4' }, 30, 'timeout'],
    ['a kill switch above its range', killSwitch, { market, timeout: '601' }, 30, 'timeout'],
    ['a kill switch whose timeout is not a string', killSwitch, { market, timeout: 10 }, 30, 'timeout'],
    ['a filter that is not a string', '/api/v4/mining/accounts', { name: 5 }, 30, 'name'],
  ])('is rejected for %s', async (_, path, fields, code, field) => {
    const response = await sendRaw({ sandbox: createSandbox({ volatility: 0 }) }, path, fields);
    expect(response).toMatchObject({ status: 422, body: { code, errors: { [field]: [expect.any(String)] } } });
  });

  it('can filter the order history by status', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await sendRaw({ sandbox }, stock, { market, side: 'buy', amount: '0.01' });
    const countOf = async (status: string) =>
      Object.values((await sendRaw({ sandbox }, history, { status })).body as Record<string, unknown[]>).flat().length;
    expect([await countOf('FILLED'), await countOf('CANCELED')]).toEqual([1, 0]);
  });

  it('without key, payload or signature, or with a body that is not a compact JSON object, is rejected', async () => {
    const sandbox = createSandbox();
    const send = async (body: string, headers: Record<string, string>) =>
      rawAnswer(
        await sandbox.fetch(`${sandbox.baseUrl}/api/v4/main-account/balance`, { method: 'POST', headers, body }),
      );
    const { apiKey, apiSecret } = sandbox.clientOptions().credentials;
    const payloadOf = (body: string) => ({ 'x-txc-payload': Buffer.from(body).toString('base64') });
    const keyed = (body: string) => ({ ...payloadOf(body), 'x-txc-apikey': apiKey });
    const signatureOf = (body: string) =>
      createHmac('sha512', apiSecret).update(payloadOf(body)['x-txc-payload']).digest('hex');
    expect(await send('{}', {})).toMatchObject({ status: 400, body: { code: 0 } });
    expect(await send('{}', payloadOf('{}'))).toMatchObject({ status: 401, body: { code: 10 } });
    expect(await send('{}', keyed('{}'))).toMatchObject({ status: 401, body: { code: 10 } });
    for (const body of ['[]', 'null', '{"a": 1}', '{']) {
      expect(await send(body, { ...keyed(body), 'x-txc-signature': signatureOf(body) })).toMatchObject({
        status: 400,
        body: { code: 9 },
      });
    }
  });

  it('of an unknown OAuth application gets no token', async () => {
    const sandbox = createSandbox();
    const { clientId, clientSecret, refreshToken } = sandbox.oauthClient;
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      limits: { 'oauth.refreshToken': { limit: 10, windowMs: 10 } },
      retry: false,
    });
    for (const [client_id, client_secret] of [
      [clientId, 'other'],
      ['other', clientSecret],
    ] as const) {
      expect(
        await failureOf(exchange.oauth.refreshToken({ client_id, client_secret, token: refreshToken })),
      ).toMatchObject({ outcome: 'rejected' });
    }
  });
});

describe('a mistake in a test', () => {
  it.each<[string, (sandbox: Sandbox) => unknown, string]>([
    [
      'an unknown account',
      (sandbox) => sandbox.clientOptions('nobody'),
      'the sandbox has no account "nobody"; its accounts are main',
    ],
    [
      'an unknown market',
      (sandbox) => sandbox.market('NO_SUCH').price(),
      'the sandbox has no market "NO_SUCH"; its markets are BTC_USDT, ETH_USDT, LTC_USDT',
    ],
    [
      'a market without two assets',
      () => createSandbox({ markets: [{ name: 'BTCUSDT' }] }),
      '"BTCUSDT" is not a market',
    ],
  ])('throws: %s', (_, mistake, message) => {
    const sandbox = createSandbox({ clock: 'manual' });
    expect(() => mistake(sandbox)).toThrow(message);
  });
});

describe('faults', () => {
  it('at random meet requests to their paths until they are ended', async () => {
    const sandbox = createSandbox();
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
    sandbox.randomFaults({ seed: 1, rate: 1, kinds: ['status'], paths: ['/api/v4/public/ping'] });
    expect(await failureOf(exchange.public.ping())).toMatchObject({ kind: 'unavailable' });
    await firstValueFrom(exchange.public.serverTime());
    sandbox.randomFaults(undefined);
    expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
  });

  it.each<[FaultKind, object]>([
    ['corrupt', { kind: 'response' }],
    ['empty', { kind: 'response' }],
    ['html', { kind: 'response' }],
    ['truncated', { kind: 'transport', outcome: 'none' }],
    ['slow', { kind: 'unavailable' }],
  ])('of kind %s reach the client even when the request is not executed', async (kind, expected) => {
    const sandbox = createSandbox();
    sandbox.fault(faultOf(kind, { executed: false, delayMs: 1 }));
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
    expect(await failureOf(exchange.public.ping())).toMatchObject(expected);
  });
});

it('a stop order is canceled when it is triggered, if the money is gone by then', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  const stop = { market, side: 'buy', amount: '0.01', activation_price: '70000', price: '65000' } as const;
  await firstValueFrom(createExchange(sandbox.clientOptions()).spot.placeStopLimitOrder(stop));
  sandbox.account().deposit('USDT', '-10000000', 'trade');
  sandbox.market(market).setPrice('70000');
  expect(sandbox.ledger.orders[0]?.status).toBe('CANCELED');
});
