import * as endpoints from 'exchange-rx/endpoints';

// Spec: what the service does, the other records, and the endpoints that place no orders.
import { baseUrls, createScheduler, type Exchange } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { clientOf, rawAnswer, sendRaw, setup, specExchange, tapped, type Setup } from './setup.js';

const refreshPath = '/oauth2/refresh_token';
const refresh = ({ sandbox, exchange }: Setup, token = sandbox.oauthClient.refreshToken) => {
  const { clientId: client_id, clientSecret: client_secret } = sandbox.oauthClient;
  return exchange.oauth.refreshToken({ client_id, client_secret, token });
};

describe('the interface', () => {
  it('[service.base] endpoints live under the base address, /api/v4/…', async () => {
    const { sandbox, exchange, sent } = tapped();
    await firstValueFrom(exchange.account.mainBalance());
    expect(sent[0]?.url).toBe(`${sandbox.baseUrl}/api/v4/main-account/balance`);
  });
  it('[service.base-eu] the address of the EU server is used with the same paths', async () => {
    const { exchange, sent } = tapped({ baseUrl: baseUrls.eu });
    await firstValueFrom(exchange.public.ping());
    expect(sent[0]?.url).toBe('https://whitebit.eu/api/v4/public/ping');
  });
  it('[service.public-get] public endpoints are GET, without a body', async () => {
    const { exchange, sent } = tapped();
    for (const read of [exchange.public.ping, exchange.public.markets, exchange.public.serverTime])
      await firstValueFrom<unknown>(read());
    expect(sent.map(({ method, body }) => [method, body])).toEqual(Array(3).fill(['GET', '']));
  });
  it('[service.private-post] private endpoints are POST, their parameters a JSON object in the body', async () => {
    const { exchange, sent } = tapped();
    await firstValueFrom(exchange.subAccounts.list({ limit: 5, offset: 3 }));
    expect(sent[0]?.method).toBe('POST');
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ limit: 5, offset: 3 });
  });
  it('[service.unknown-path] an unknown path is 404 and a wrong method 405', async () => {
    const { sandbox } = setup();
    expect((await sandbox.fetch(`${sandbox.baseUrl}/api/v4/none`)).status).toBe(404);
    expect((await sandbox.fetch(`${sandbox.baseUrl}/api/v4/order/market`)).status).toBe(405);
    expect((await sandbox.fetch(`${sandbox.baseUrl}/api/v4/public/ping`, { method: 'POST' })).status).toBe(405);
  });
  it('[version.path] the version is part of the path; the OAuth refresh has none', async () => {
    const { sandbox, exchange } = setup();
    await firstValueFrom(refresh({ sandbox, exchange }));
    await firstValueFrom(exchange.public.ping());
    expect(sandbox.ledger.requests.map(({ path }) => path)).toEqual([refreshPath, '/api/v4/public/ping']);
  });
});

describe('endpoints', () => {
  const world = () => setup();
  const limit = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000' } as const;

  it('[balance.main_balance] the balance is a map from asset to main_balance, a string', async () => {
    expect(await firstValueFrom(world().exchange.account.mainBalance())).toEqual({
      BTC: { main_balance: '2.5' },
      USDT: { main_balance: '25000.75' },
      XLM: { main_balance: '36.48' },
    });
  });
  it('[balance.zero] assets of zero balance are left out', async () => {
    const one = world();
    one.sandbox.account().deposit('XLM', '-36.48', 'main');
    expect(Object.keys(await firstValueFrom(one.exchange.account.mainBalance()))).toEqual(['BTC', 'USDT']);
  });
  it('[balance.ticker] with a ticker the exchange responds with one balance, "0" for an unknown one', async () => {
    const one = world();
    const ask = async (ticker: string) => (await sendRaw(one, '/api/v4/main-account/balance', { ticker })).body;
    expect([await ask('BTC'), await ask('NONE')]).toEqual([{ main_balance: '2.5' }, { main_balance: '0' }]);
    const { account } = one.exchange;
    expect(await firstValueFrom(account.mainBalanceOf({ ticker: 'BTC' }))).toEqual({ main_balance: '2.5' });
    expect(await firstValueFrom(account.mainBalanceOf({ ticker: 'NONE' }))).toEqual({ main_balance: '0' });
  });
  it('[market.fields] a market has minAmount, minTotal and maxTotal', async () => {
    const [btc] = await firstValueFrom(world().exchange.public.markets());
    const bounds = { minAmount: '0.0001', minTotal: '5', maxTotal: '10000000000' };
    expect(btc).toMatchObject({ name: 'BTC_USDT', stock: 'BTC', money: 'USDT', ...bounds });
  });
  it('[market.max_leverage] max_leverage is read where the exchange gives it', async () => {
    const read = async (exchange: Exchange) => (await firstValueFrom(exchange.public.markets()))[0]?.max_leverage;
    expect([await read(specExchange(world())), await read(world().exchange)]).toEqual([100, undefined]);
  });
  it('[ping.response] ping responds with an array of the single string pong', async () => {
    expect(await firstValueFrom(world().exchange.public.ping())).toEqual(['pong']);
  });
  it('[time.response] time responds with the exchange’s clock in Unix seconds', async () => {
    const one = setup({ clock: 'manual' });
    expect(await firstValueFrom(one.exchange.public.serverTime())).toEqual({ time: one.sandbox.clock.now() / 1000 });
  });

  it('[leverage.request] leverage takes each of 1, 2, 3, 5, 10, 20, 50 and 100, and no other', async () => {
    const one = world();
    for (const leverage of [1, 2, 3, 5, 10, 20, 50, 100] as const) {
      expect(await firstValueFrom(one.exchange.collateral.setLeverage({ leverage }))).toEqual({ leverage });
    }
    for (const leverage of [0, 4, 101, '5', undefined]) {
      const raw = await sendRaw(one, endpoints.collateral.setLeverage.path, { leverage });
      expect(raw).toMatchObject({ status: 422, body: { code: 30, errors: { leverage: [expect.any(String)] } } });
    }
  });
  it('[leverage.effective] the effective leverage is capped by the market’s maximum', async () => {
    const one = setup({
      markets: [{ name: 'BTC_USDT', price: '100', maxLeverage: 2 }],
      accounts: [{ name: 'main', balances: { collateral: { USDT: '100' } } }],
    });
    await firstValueFrom(one.exchange.collateral.setLeverage({ leverage: 100 }));
    const bid = (amount: string) =>
      firstValueFrom(one.exchange.collateral.placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount, price: '90' }));
    const refused = { code: 10, status: 422, reason: 'insufficient-balance' };
    await expect(bid('2.3')).rejects.toMatchObject({ ...refused, errors: { amount: ['Not enough balance.'] } });
    expect((await bid('2.2')).status).toBe('OPEN');
  });
  it('[leverage.refusals] leverage is rejected with positions or orders open (113), and without a balance (17)', async () => {
    const refusalOf = ({ exchange }: Setup) => failureOf(exchange.collateral.setLeverage({ leverage: 5 }));
    const one = world();
    await firstValueFrom(one.exchange.collateral.placeLimitOrder(limit));
    expect(await refusalOf(one)).toMatchObject({ code: 113, status: 422, reason: 'positions-open' });
    const poor = setup({ accounts: [{ name: 'main', balances: {} }] });
    expect(await refusalOf(poor)).toMatchObject({ code: 17, status: 422, reason: 'insufficient-balance' });
  });

  it('[sub-account.fields] a sub-account has id, alias, userId, email, status, color, kyc and permissions', async () => {
    const { data } = await firstValueFrom(world().exchange.subAccounts.list({ limit: 1 }));
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      ...{ alias: 'trading_bot_1', userId: 'u-10000', email: 'a***@example.com', status: 'active' },
      color: expect.stringMatching(/^#[0-9A-F]{6}$/) as string,
      kyc: { shareKyc: true, kycStatus: 'verified' },
      permissions: { spotEnabled: true, collateralEnabled: true },
    });
  });
  it('[sub-account.search] search finds sub-accounts by a term', async () => {
    const { data } = await firstValueFrom(world().exchange.subAccounts.list({ search: 'bot_12' }));
    expect(data.map(({ alias }) => alias)).toEqual(['trading_bot_12']);
  });
  it('[sub-account.limit] limit is 1 to 100', async () => {
    const one = world();
    expect((await firstValueFrom(one.exchange.subAccounts.list({ limit: 3 }))).data).toHaveLength(3);
    for (const limit of [0, 101]) expect((await sendRaw(one, '/api/v4/sub-account/list', { limit })).status).toBe(422);
  });
  it('[sub-account.offset] offset is 0 to 10000', async () => {
    const one = world();
    const namesFrom = async (offset: number) =>
      (await firstValueFrom(one.exchange.subAccounts.list({ offset }))).data.map(({ alias }) => alias);
    expect([await namesFrom(39), await namesFrom(10_000)]).toEqual([['trading_bot_40'], []]);
    for (const offset of [-1, 10_001])
      expect((await sendRaw(one, '/api/v4/sub-account/list', { offset })).status).toBe(422);
  });
  it('[sub-account.response] the list response has offset, limit and data', async () => {
    const page = await firstValueFrom(world().exchange.subAccounts.list());
    expect([page.offset, page.limit, page.data.length]).toEqual([0, 30, 30]);
  });

  it('[mining.fields] a mining account has a name and createdAt, Unix seconds', async () => {
    const { data } = await firstValueFrom(world().exchange.mining.listAccounts({ limit: 1 }));
    expect(data).toEqual([{ name: 'my_miner_35', createdAt: expect.any(Number) as number }]);
  });
  it('[mining.name] name is an exact match, at most 255 characters', async () => {
    const one = world();
    expect((await firstValueFrom(one.exchange.mining.listAccounts({ name: 'my_miner_07' }))).data).toHaveLength(1);
    expect((await firstValueFrom(one.exchange.mining.listAccounts({ name: 'my_miner' }))).data).toEqual([]);
    expect((await firstValueFrom(one.exchange.mining.listAccounts({ name: 'x'.repeat(255) }))).data).toEqual([]);
    expect((await sendRaw(one, '/api/v4/mining/accounts', { name: 'x'.repeat(256) })).status).toBe(422);
  });
  it('[mining.response] the list response has data, limit and offset, newest first', async () => {
    const { data, limit, offset } = await firstValueFrom(
      world().exchange.mining.listAccounts({ limit: 10, offset: 2 }),
    );
    expect([limit, offset, data.length]).toEqual([10, 2, 10]);
    const times = data.map(({ createdAt = 0 }) => createdAt);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  it('[orders.open] open orders are listed, empty when there is none', async () => {
    const one = world();
    expect(await firstValueFrom(one.exchange.orders.open({ market: 'BTC_USDT' }))).toEqual([]);
    await firstValueFrom(one.exchange.collateral.placeLimitOrder({ ...limit, client_order_id: 'a' }));
    await firstValueFrom(one.exchange.collateral.placeLimitOrder({ ...limit, client_order_id: 'b' }));
    const found = await firstValueFrom(one.exchange.orders.open({ market: 'BTC_USDT', client_order_id: 'a' }));
    expect(found.map(({ client_order_id }) => client_order_id)).toEqual(['a']);
  });
  it('[orders.history] the history lists orders that ended, by market, under the spec’s names', async () => {
    const one = world();
    const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01', client_order_id: 'ended' } as const;
    const placed = await firstValueFrom(one.exchange.spot.placeStockMarketOrder(order));
    const history = await firstValueFrom(one.exchange.orders.history({ market: 'BTC_USDT', client_order_id: 'ended' }));
    const { order_id, timestamp, deal_money } = placed;
    const shown = { order_id, timestamp, deal_money, client_order_id: 'ended', market: 'BTC_USDT' };
    expect(history['BTC_USDT']).toMatchObject([shown]);
    const unknown = await failureOf(one.exchange.orders.history({ client_order_id: 'never' }));
    expect(unknown).toMatchObject({ status: 422, reason: 'order-not-found' });
  });
  it('[orders.cancel] an order is canceled by either identifier; one that is not open is not found', async () => {
    const one = world();
    const { market, order_id } = await firstValueFrom(one.exchange.collateral.placeLimitOrder(limit));
    expect((await firstValueFrom(one.exchange.orders.cancel({ market, order_id }))).order_id).toBe(order_id);
    const gone = await failureOf(one.exchange.orders.cancel({ market, order_id }));
    expect(gone).toMatchObject({ code: 2, reason: 'order-not-found' });
  });
});

describe('OAuth', () => {
  const quick = () => setup({ limits: { [refreshPath]: { limit: 100, windowMs: 1000 } } });

  it('[oauth.fields] the response has access_token, expires_in, refresh_token, scope and token_type Bearer, in data', async () => {
    const { data } = await firstValueFrom(refresh(quick()));
    const token = expect.any(String) as string;
    const granted = { expires_in: 300, scope: 'codes.apply,show.userinfo', token_type: 'Bearer' };
    expect(data).toEqual({ access_token: token, refresh_token: token, ...granted });
  });
  it('an unknown application gets no token', async () => {
    for (const client_id of ['other', quick().sandbox.oauthClient.clientId]) {
      const { sandbox, exchange } = quick();
      const refused = exchange.oauth.refreshToken({
        ...{ client_id, client_secret: 'other', token: sandbox.oauthClient.refreshToken },
      });
      expect(await failureOf(refused)).toMatchObject({ outcome: 'rejected' });
    }
  });
  it('[oauth.form] the request is a form: client_id, client_secret and token', async () => {
    const { sent, ...one } = tapped();
    await firstValueFrom(refresh(one));
    expect(sent[0]?.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(sent[0]?.body).keys()]).toEqual(['client_id', 'client_secret', 'token']);
  });
  it('[oauth.required] each of the three is required', async () => {
    const { sandbox } = quick();
    const answer = await rawAnswer(await sandbox.fetch(sandbox.baseUrl + refreshPath, { method: 'POST', body: '' }));
    expect(answer.status).toBe(422);
    expect(Object.keys((answer.body as { errors: object }).errors)).toEqual(['client_id', 'client_secret', 'token']);
  });
  it('[oauth.used-up] a refresh token is replaced at every refresh, and used up', async () => {
    const { sandbox } = quick();
    const scheduler = createScheduler({ limits: { 'oauth.refreshToken': { limit: 100, windowMs: 1000 } } });
    const one = { sandbox, exchange: clientOf(sandbox, undefined, { scheduler }) };
    const { data } = await firstValueFrom(refresh(one));
    // The text of a confidential response is hidden.
    const errors = { token: ['[hidden]'] };
    expect(await failureOf(refresh(one))).toMatchObject({ kind: 'api', status: 400, errors });
    expect((await firstValueFrom(refresh(one, data.refresh_token))).data.refresh_token).not.toBe(data.refresh_token);
  });
});
