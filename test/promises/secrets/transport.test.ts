// The destination of requests: https or loopback, no redirects, checked certificates.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../support/failure.js';
import { portOf } from '../../support/raw-server.js';
import { jsonAnswer, recordingFetch } from '../../support/recording-fetch.js';
import { selfSigned } from '../../support/self-signed.js';

const { credentials } = createSandbox().clientOptions();
const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;

async function addressOf(baseUrl: string): Promise<string> {
  const { fetch, sent } = recordingFetch(() => jsonAnswer(['pong']));
  await firstValueFrom(createExchange({ baseUrl, fetch }).public.ping());
  return sent[0]?.url ?? '';
}

describe('plain http', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.10', '[::1]', '[0:0:0:0:0:0:0:1]'])(
    'is allowed for loopback: %s',
    async (host) => {
      expect(await addressOf(`http://${host}:8080`)).toMatch(
        /^http:\/\/(localhost|127\.[\d.]+|\[::1\]):8080\/api\/v4\/public\/ping$/,
      );
    },
  );

  it.each(['127.1', '0x7f.1', '0177.0.0.1', '2130706433', '017700000001', '127.0.0.1.', '１２７.0.0.1'])(
    'to %s is sent to 127.0.0.1',
    async (host) => {
      expect(await addressOf(`http://${host}`)).toBe('http://127.0.0.1/api/v4/public/ping');
    },
  );

  it.each([
    ...['exchange.example', '127.0.0.1.evil.example', 'localhost.evil.example', 'localhost。evil.example'],
    ...['evil-localhost', 'evil.example:127', '0.0.0.0', '0', '[::]', '[::ffff:127.0.0.1]', '128.0.0.1'],
    ...['126.255.255.255', '10.0.0.1', '192.168.0.1', '169.254.169.254', '0x7e.1', '2130706432000', 'localhost.'],
  ])('is rejected for %s', (host) => {
    expect(() => createExchange({ baseUrl: `http://${host}` })).toThrow(
      /^createExchange: baseUrl must be (https|a URL)/,
    );
  });
});

describe('a base address', () => {
  it.each([
    ['user and password', 'https://user:pass@exchange.example', 'user name or password'],
    ['a user', 'https://user@exchange.example', 'user name or password'],
    ['a user that looks like an address', 'https://exchange.example@evil.example', 'user name or password'],
    ['a loopback address as the user', 'http://127.0.0.1@evil.example', 'user name or password'],
    ['a query', 'https://exchange.example/?a=1', 'query or fragment'],
    ['an empty query', 'https://exchange.example/?', 'query or fragment'],
    ['a fragment', 'https://exchange.example/#a', 'query or fragment'],
    ['an empty fragment', 'https://exchange.example#', 'query or fragment'],
    ['port 0', 'https://exchange.example:0', 'port 0'],
    ['an invalid port', 'https://exchange.example:65536', 'must be a URL'],
    ['no host', 'https://', 'must be a URL'],
    ['no scheme', 'exchange.example', 'must be a URL'],
    ['an invalid host', 'https://127.0.0.256', 'must be a URL'],
    ['a host with a zero byte', 'https://localhost%00.evil.example', 'must be a URL'],
    ['an empty text', '', 'must be a URL'],
    ...['ftp', 'ws', 'wss', 'file', 'blob:https', 'gopher'].map(
      (scheme) => [`the scheme ${scheme}`, `${scheme}://exchange.example`, 'must be https'] as const,
    ),
    ['a script', 'javascript:alert(1)', 'must be https'],
  ] as const)('with %s is rejected by field and rule, and not quoted', (_what, baseUrl, rule) => {
    let thrown: unknown;
    try {
      createExchange({ baseUrl });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      kind: 'request',
      outcome: 'not-executed',
      issues: [{ field: 'baseUrl', message: expect.stringContaining(rule) as string }],
    });
    // The example in the rule is not a quotation.
    if (!'https://exchange.example'.includes(baseUrl)) expect(String(thrown)).not.toContain(baseUrl);
  });

  it.each([
    ['a slash at its end', 'https://exchange.example/', 'https://exchange.example'],
    ['many slashes at its end', 'https://exchange.example///', 'https://exchange.example'],
    ['a path', 'https://gateway.example/exchange/', 'https://gateway.example/exchange'],
    ['a path with steps back', 'https://gateway.example/a/../exchange', 'https://gateway.example/exchange'],
    ['a port', 'https://exchange.example:8443', 'https://exchange.example:8443'],
    ['the port of https', 'https://exchange.example:443', 'https://exchange.example'],
    ['a host with non-ASCII letters', 'https://börse.example', 'https://xn--brse-5qa.example'],
    ['capitals', 'HTTPS://Exchange.Example', 'https://exchange.example'],
    ['surrounding white space', ' https://exchange.example\n', 'https://exchange.example'],
    ['empty credentials', 'https://:@exchange.example', 'https://exchange.example'],
  ])('with %s is normalized', async (_what, baseUrl, plain) => {
    expect(await addressOf(baseUrl)).toBe(`${plain}/api/v4/public/ping`);
  });

  it('with a port that browsers block is valid', async () => {
    const server = createServer((_request, response) => response.end('["pong"]'));
    // At least one of these ports is free.
    for (const port of [6669, 6668, 6667, 6666, 10_080]) {
      try {
        await portOf(server, port);
        break;
      } catch {
        continue;
      }
    }
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    expect(await firstValueFrom(createExchange({ baseUrl: `http://127.0.0.1:${port}` }).public.ping())).toEqual([
      'pong',
    ]);
  });
});

describe('a redirect', () => {
  const places = [
    ['to the same host', (port: number) => `http://127.0.0.1:${port}/elsewhere`, 300, 301, 307],
    ['to a path', () => '/elsewhere', 302, 308],
    ['to another host', (_port: number, other: number) => `http://localhost:${other}/`, 303, 307],
    ['to itself', (port: number) => `http://127.0.0.1:${port}/api/v4/order/stock_market`, 305, 308],
  ] as const;

  it.each(places.flatMap(([what, place, ...statuses]) => statuses.map((status) => ({ status, what, place }))))(
    '$status $what is an error: it is not followed, and the key goes nowhere else',
    async ({ status, place }) => {
      let others = 0;
      const other = await portOf(createServer((_request, response) => response.end(`${(others += 1)}`)));
      const paths: (string | undefined)[] = [];
      const port: number = await portOf(
        createServer((request, response) => {
          paths.push(request.url);
          response.writeHead(status, { location: place(port, other) }).end();
        }),
      );
      const options = { credentials, lookupTimeoutMs: 0, retry: false } as const;
      const exchange = createExchange({ ...options, baseUrl: `http://127.0.0.1:${port}` });
      expect(await failureOf(exchange.account.mainBalance())).toMatchObject({ kind: 'api', status });
      // The order may have been executed before the redirect.
      const placing = await failureOf(exchange.spot.placeStockMarketOrder(order));
      expect(placing).toMatchObject({ kind: 'api', status, outcome: 'unknown' });
      const refreshing = exchange.oauth.refreshToken({ client_id: 'a', client_secret: 'b', token: 'c' });
      expect(await failureOf(refreshing)).toMatchObject({ status });
      expect({ paths, others }).toEqual({
        paths: ['/api/v4/main-account/balance', '/api/v4/order/stock_market', '/oauth2/refresh_token'],
        others: 0,
      });
    },
  );

  it('is left to a user’s fetch by `redirect: "manual"`', async () => {
    let redirect: string | undefined;
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      fetch: (_url, init) => {
        redirect = init.redirect;
        return Promise.resolve(jsonAnswer(['pong']));
      },
    });
    await firstValueFrom(exchange.public.ping());
    expect(redirect).toBe('manual');
  });
});

describe('a server with an untrusted certificate', () => {
  it.each(['localhost', '127.0.0.1'])('receives no request as %s: the call fails with a typed error', async (host) => {
    let requests = 0;
    const server = createSecureServer(selfSigned, (_request, response) => response.end(`${(requests += 1)}`));
    const baseUrl = `https://${host}:${await portOf(server)}`;
    const exchange = createExchange({ baseUrl, credentials, retry: false });
    for (const failure of [failureOf(exchange.public.ping()), failureOf(exchange.spot.placeStockMarketOrder(order))]) {
      expect(await failure).toMatchObject({
        kind: 'transport',
        outcome: 'not-executed',
        message: expect.stringContaining('not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)') as string,
      });
    }
    expect(requests).toBe(0);
  });
});
