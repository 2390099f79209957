// Requests and the live connection of one client through an HTTP proxy.
import { createServer } from 'node:net';
import { createExchange, RequestError } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, forkJoin } from 'rxjs';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openProxy } from '../support/proxy.js';
import { portOf } from '../support/raw-server.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function proxied() {
  const proxy = await openProxy('bot:p@ss');
  onTestFinished(proxy.close);
  return proxy;
}

async function openExchange() {
  const server = await createSandbox().listen();
  onTestFinished(() => server.close());
  return server.clientOptions();
}

const read = (options: Parameters<typeof createExchange>[0]) => {
  const exchange = createExchange(options);
  return firstValueFrom(
    forkJoin([exchange.public.ping(), firstValueFrom(exchange.live.lastPrice({ markets: ['BTC_USDT'] }))]),
  );
};

describe('the option proxy', () => {
  it('applies to requests and to the live connection', async () => {
    const { host, used } = await proxied();
    const { baseUrl } = await openExchange();
    const [, price] = await read({ baseUrl, proxy: `http://bot:p%40ss@${host}` });
    expect(price).toMatchObject({ market: 'BTC_USDT' });
    const target = new URL(baseUrl).host;
    expect(used()).toEqual([`live to ${target}`, `requests to ${target}`]);
  });

  it.each([
    ['uses the proxy of the environment', '', 2],
    ['uses the proxy of the environment for other hosts than those of NO_PROXY', 'localhost, .example:80', 2],
    ['uses no proxy for the hosts of NO_PROXY', 'localhost,127.0.0.1', 0],
    ['uses no proxy for *', '*', 0],
  ])('"environment" %s', async (_, except, kinds) => {
    const { host, used } = await proxied();
    for (const name of ['HTTP_PROXY', 'http_proxy']) vi.stubEnv(name, `http://bot:p%40ss@${host}`);
    for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, except);
    const { baseUrl } = await openExchange();
    await read({ baseUrl, proxy: 'environment' });
    expect(used()).toHaveLength(kinds);
  });

  it('"environment" without a proxy shares the limits of the clients without one', async () => {
    for (const name of ['HTTP_PROXY', 'http_proxy']) vi.stubEnv(name, '');
    const { baseUrl } = await openExchange();
    await firstValueFrom(createExchange({ baseUrl, proxy: 'environment' }).public.ping());
    const usage = await firstValueFrom(createExchange({ baseUrl }).scheduler.usage$);
    expect(usage.find(({ rateLimit }) => rateLimit === 'public')).toMatchObject({ used: 1 });
  });

  it.each([
    ['the proxy never responds', (silent: string) => ({ proxy: `http://${silent}` })],
    ['the proxy over TLS never responds', (silent: string) => ({ proxy: `https://${silent}` })],
    [
      'the exchange never responds through its tunnel',
      (silent: string, host: string) => ({ baseUrl: `https://${silent}`, proxy: `http://bot:p%40ss@${host}` }),
    ],
    [
      'the exchange never responds without a proxy',
      (silent: string) => ({ baseUrl: `https://${silent}`, proxy: 'environment' }),
    ],
  ])('leaves no connection when the last subscriber goes while %s', async (_, optionsOf) => {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, '');
    const sockets = new Set<unknown>();
    let received = 0;
    const silent = createServer((socket) => {
      sockets.add(socket.on('data', () => (received += 1)));
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    const port = await portOf(silent);
    const { host } = await proxied();
    const { my } = createExchange({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'key', apiSecret: 'secret' },
      ...optionsOf(`127.0.0.1:${port}`, host),
    }).live;
    const subscription = my.positions().subscribe();
    await expect.poll(() => received).toBe(1);
    expect(sockets.size).toBe(1);
    subscription.unsubscribe();
    await expect.poll(() => sockets.size, { timeout: 2000 }).toBe(0);
  });

  it('leaves the live connection waiting when the proxy opens no tunnel', async () => {
    const { host, used } = await proxied();
    const { baseUrl } = await openExchange();
    const exchange = createExchange({ baseUrl, proxy: `http://bot:wrong@${host}` });
    const subscription = exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe();
    await expect.poll(() => firstValueFrom(exchange.live.state$)).toMatchObject({ status: 'waiting' });
    subscription.unsubscribe();
    expect(used()).toEqual([]);
  });

  it.each(['fetch', 'transport', 'webSocket'] as const)('is refused together with %s', (name) => {
    const { fetch, webSocket } = createSandbox().clientOptions();
    const own = {
      fetch,
      webSocket,
      transport: { send: () => ({ response: Promise.reject(new Error()), abort: () => undefined }) },
    };
    expect(() =>
      createExchange({ baseUrl: 'https://exchange.example', proxy: 'environment', [name]: own[name] }),
    ).toThrow(RequestError);
  });

  it('is refused, and not quoted, when it is not a URL', () => {
    expect(() => createExchange({ baseUrl: 'https://exchange.example', proxy: 'bot:secret' })).toThrow(
      'createExchange: proxy must be the URL of an HTTP proxy, or "environment" with',
    );
  });
});
