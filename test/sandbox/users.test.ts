// An application reads the account of its user in the sandbox, by access tokens that end and are refreshed.
import { createExchange, type Exchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, type Observable } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../contract/setup.js';

type User = Exchange['oauth'];

async function world() {
  const sandbox = createSandbox({
    ...{ clock: 'manual', history: 0, tickMs: 60_000, volatility: 0 },
    limits: { '/oauth2/refresh_token': { limit: 100, windowMs: 1000 } },
  });
  const { baseUrl } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const own = clientOf(sandbox);
  const application = createExchange({ baseUrl, now: () => sandbox.clock.now(), retry: false });
  const { clientId, clientSecret, refreshToken } = sandbox.oauthClient;
  const refresh = async (token: string) => {
    const ofApplication = { client_id: clientId, client_secret: clientSecret };
    return (await firstValueFrom(application.oauth.refreshToken({ ...ofApplication, token }))).data;
  };
  return { sandbox, own, application, refresh, refreshToken };
}

it('reads what the user reads', async () => {
  const { own, application, refresh, refreshToken, sandbox } = await world();
  await firstValueFrom(own.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }));
  await firstValueFrom(own.convert.convert({ from: 'USDT', to: 'BTC', direction: 'from', amount: '100' }));
  sandbox.account().receiveDeposit('BTC', '1');
  const { access_token, refresh_token } = await refresh(refreshToken);
  const read = <Values>(use: (user: User) => Observable<Values>) => firstValueFrom(use(application.oauth));
  expect(await read((user) => user.mainBalance({ access_token }))).toEqual(
    await firstValueFrom(own.account.mainBalance()),
  );
  expect(await read((user) => user.spotBalance({ access_token }))).toEqual(await firstValueFrom(own.spot.balance()));
  expect(await read((user) => user.orders({ access_token, market: 'BTC_USDT', limit: 5 }))).toEqual(
    await firstValueFrom(own.orders.history({ market: 'BTC_USDT' })),
  );
  expect(await read((user) => user.deals({ access_token }))).toMatchObject({ BTC_USDT: [{ amount: '0.01' }] });
  expect((await read((user) => user.transactions({ access_token }))).records).toMatchObject([{ amount: '1' }]);
  expect((await read((user) => user.converts({ access_token }))).records).toHaveLength(1);
  sandbox.clock.advance(60_000);
  const to = Math.floor(sandbox.clock.now() / 1000);
  const { access_token: later } = await refresh(refresh_token);
  expect((await read((user) => user.converts({ access_token: later }))).records).toEqual([]);
  expect((await read((user) => user.converts({ access_token: later, from: to - 3600, to }))).records).toHaveLength(1);
});

it('refuses a token that has ended, was replaced, or was never given', async () => {
  const { sandbox, application, refresh, refreshToken } = await world();
  const read = (access_token: string) => firstValueFrom(application.oauth.mainBalance({ access_token }));
  const refused = { status: 401 };
  await expect(read('no-token-at-all')).rejects.toMatchObject(refused);
  const first = await refresh(refreshToken);
  const second = await refresh(first.refresh_token);
  await expect(read(first.access_token)).rejects.toMatchObject(refused);
  sandbox.clock.advance(299_999);
  expect(await read(second.access_token)).toHaveProperty('BTC');
  sandbox.clock.advance(1);
  await expect(read(second.access_token)).rejects.toMatchObject(refused);
});

it('meets faults, as any other request', async () => {
  const { sandbox, application, refresh, refreshToken } = await world();
  const { access_token } = await refresh(refreshToken);
  sandbox.fault({ kind: 'status', path: '/api/v4/accounts/balances/main', status: 502 });
  await expect(firstValueFrom(application.oauth.mainBalance({ access_token }))).rejects.toMatchObject({ status: 502 });
  sandbox.assertNoPendingFaults();
});
