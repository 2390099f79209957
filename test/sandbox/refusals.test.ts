// What the sandbox refuses: requests that the exchange would refuse, and mistakes of a test that would go unseen
// otherwise.
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
      'an identifier that is too long',
      stock,
      { market, side: 'buy', amount: '0.01', clientOrderId: 'x'.repeat(65) },
      36,
      'clientOrderId',
    ],
    ['a flag that is none', limit, { ...limitOrder, rpi: 'yes' }, 30, 'rpi'],
    ['a side of the position that is none', limit, { ...limitOrder, positionSide: 'UP' }, 114, 'positionSide'],
    [
      'stops of an order that only reduces',
      limit,
      { ...limitOrder, reduceOnly: true, stopLoss: '40000' },
      30,
      'reduceOnly',
    ],
    [
      'a profit of an order that only reduces',
      limit,
      { ...limitOrder, reduceOnly: true, takeProfit: '70000' },
      30,
      'reduceOnly',
    ],
    ['a kill switch below its range', killSwitch, { market, timeout: '4' }, 30, 'timeout'],
    ['a kill switch above its range', killSwitch, { market, timeout: '601' }, 30, 'timeout'],
    ['a kill switch that is no text', killSwitch, { market, timeout: 10 }, 30, 'timeout'],
    ['a term that is no text', '/api/v4/mining/accounts', { name: 5 }, 30, 'name'],
  ])('is refused for %s', async (_, path, fields, code, field) => {
    const answer = await sendRaw({ sandbox: createSandbox({ volatility: 0 }) }, path, fields);
    expect(answer).toMatchObject({ status: 422, body: { code, errors: { [field]: [expect.any(String)] } } });
  });

  it('is told apart in the history by the status that is asked for', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    await sendRaw({ sandbox }, stock, { market, side: 'buy', amount: '0.01' });
    const countOf = async (status: string) =>
      Object.values((await sendRaw({ sandbox }, history, { status })).body as Record<string, unknown[]>).flat().length;
    expect([await countOf('FILLED'), await countOf('CANCELED')]).toEqual([1, 0]);
  });

  it('without key, payload or signature, or whose body is no compact object, is refused', async () => {
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

  it('of an application that is not known gets no token', async () => {
    const sandbox = createSandbox();
    const { clientId, clientSecret, refreshToken } = sandbox.oauthClient;
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      limits: { oauth: { limit: 10, windowMs: 10 } },
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

describe('a mistake of a test', () => {
  it.each<[string, (sandbox: Sandbox) => unknown, string]>([
    ['an account that is not there', (sandbox) => sandbox.clientOptions('nobody'), 'no account nobody'],
    ['a market that is not there', (sandbox) => sandbox.market('NO_SUCH').price(), 'no market NO_SUCH'],
    [
      'a fault that is none',
      (sandbox) => {
        sandbox.fault({ kind: 'explode' as FaultKind });
      },
      'sandbox.fault: kind "explode" must be one of status, refuse, reset',
    ],
    [
      'time that goes back',
      (sandbox) => {
        sandbox.clock.advance(-1);
      },
      'clock.advance: -1 ms must be 0 or more',
    ],
    [
      'time that is none',
      (sandbox) => {
        sandbox.clock.advance(Number.NaN);
      },
      'clock.advance: NaN ms must be 0 or more',
    ],
    [
      'a market without two assets',
      () => createSandbox({ markets: [{ name: 'BTCUSDT' }] }),
      '"BTCUSDT" is not a market',
    ],
  ])('is told: %s', (_, mistake, message) => {
    const sandbox = createSandbox({ clock: 'manual' });
    expect(() => mistake(sandbox)).toThrow(message);
  });
});

describe('faults at random', () => {
  it('meet the paths that they are for, until they are ended', async () => {
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
    ['cut', { kind: 'transport', outcome: 'none' }],
    ['slow', { kind: 'unavailable' }],
  ])('that spoil an answer (%s) do so when there is none, too', async (kind, expected) => {
    const sandbox = createSandbox();
    sandbox.fault(faultOf(kind, { executed: false, delayMs: 1 }));
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
    expect(await failureOf(exchange.public.ping())).toMatchObject(expected);
  });
});

describe('a stop order that the account cannot pay for any more', () => {
  const poor = () =>
    createSandbox({ volatility: 0, accounts: [{ name: 'main', balances: { trade: { USDT: '10' } } }] });
  const stop = { market, side: 'buy', amount: '0.01', activation_price: '70000' } as const;

  it.each([
    ['when it is to trade at once', { ...stop, type: 'stop market' }, '70000'],
    ['when its limit is reached later', { ...stop, type: 'stop limit', price: '65000' }, '64000'],
  ] as const)('is canceled %s', (_, order, price) => {
    const sandbox = poor();
    const { order_id } = sandbox.placeStopOrder('main', order);
    sandbox.market(market).setPrice('70000');
    sandbox.market(market).setPrice(price);
    expect(sandbox.ledger.orders.find((placed) => placed.order_id === order_id)?.status).toBe('CANCELED');
  });
});
