// The destination of requests: https or loopback. Redirects and certificates are tested of every transport, in
// test/http/transport-conformance.test.ts.
import { createExchange } from 'exchange-rx';
import { createServer } from 'node:http';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { portOf } from '../../support/raw-server.js';
import { jsonAnswer, recordingFetch } from '../../support/recording-fetch.js';

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

it('a redirect is left to a user’s fetch by `redirect: "manual"`', async () => {
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
