// Promise 5 on the live connections: an exchange that echoes the key, a signature or a token in its refusals.
import type { Exchange } from 'exchange-rx';
import { createHash } from 'node:crypto';
import { EMPTY, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ms, onFakeTime } from '../../live/setup.js';
import { accountSetup } from '../../live/my/account-exchange.js';
import { Planted, printed } from '../../support/printed.js';
import { asItIs, replaced as forms } from './forms.js';
import { collected, errorsOf } from '../../support/watch.js';

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 40);
const credentials = { apiKey: digest('key'), apiSecret: digest('secret') };
const market = 'BTC_USDT';

/** A client with an account, whose secrets are recorded as they are sent and issued. */
function world() {
  const secrets = new Map([['key', credentials.apiKey]]);
  const { account, server, exchange } = accountSetup({ credentials, fetch: recording });
  account.nextToken = () => {
    const token = `$2y$10$${digest(`token ${account.tokens.length}`)}/oH3kQ`;
    account.tokens.push(token);
    secrets.set(`token ${account.tokens.length}`, token);
    return token;
  };
  function recording(url: string, { headers }: { readonly headers: Readonly<Record<string, string>> }) {
    for (const [name, value] of Object.entries(headers)) if (name.startsWith('X-TXC-')) secrets.set(name, value);
    return account.fetch(url);
  }
  const planted = () => {
    const all = new Planted();
    for (const [name, secret] of secrets) all.addWithItsBeginning(name, secret);
    return all;
  };
  return { account, server, exchange, secrets, planted };
}

type World = ReturnType<typeof world>;

function refuse({ account, server, secrets }: World, method: string, write: (secret: string) => string): void {
  const react = server.react;
  server.react = (got) => {
    if (got.method !== method) react(got);
    else got.connection.refuse(got.id, 11, [...secrets].map(([name, secret]) => `${name} ${write(secret)}`).join(', '));
  };
  account.onToken = ({ connection, id }, token) => {
    account.authorized.set(connection, token);
    connection.confirm(id);
  };
}

const calls: Readonly<Record<string, (exchange: Exchange) => Observable<unknown>>> = {
  lastprice_subscribe: ({ live }) => live.lastPrice({ markets: [market] }),
  depth_subscribe: ({ live }) => live.orderBook({ market }),
  trades_subscribe: ({ live }) => live.trades({ markets: [market] }),
  bookTicker_subscribe: ({ live }) => live.bookTicker({ markets: [market] }),
  balanceSpot_subscribe: ({ live }) => live.my.balances(),
  balanceSpot_request: ({ live }) => live.my.balances(),
  authorize: ({ live }) => live.my.balances(),
};

describe('a refusal on a live connection', () => {
  onFakeTime();

  it.each(Object.entries(calls).map(([method, call], index) => ({ method, call, ...(forms[index] ?? asItIs) })))(
    'of $method holds no key, signature or token $name',
    async ({ method, write, call }) => {
      const one = world();
      const { exchange, secrets, planted } = one;
      // A token is read, and a request signed, before the refusal.
      const before = exchange.live.my.state$.subscribe();
      exchange.account.websocketToken().subscribe();
      await ms(1000);
      refuse(one, method, write);
      const seen = collected(exchange.events$, (event) => printed(event));
      const errors = errorsOf(call(exchange));
      await ms(5000);
      expect([...secrets.keys()]).toEqual(expect.arrayContaining(['key', 'token 1', 'X-TXC-SIGNATURE']));
      expect(errors).toMatchObject([{ kind: 'live-refused', code: 11 }]);
      expect(planted().foundIn([...seen, printed(errors), printed(exchange.live)].join('\n'))).toEqual([]);
      before.unsubscribe();
    },
  );

  const long = 'a '.repeat(2 ** 19);

  it.each([
    [
      'without control and bidirectional characters',
      'a\u001b[2J\r\nb\u202ec\u2066d\u200fe\u061cf\u009b',
      'a [2J b c d e f ',
    ],
    [
      'as it is, where it holds no secret',
      'BTC_USDT was delisted at 1790000000',
      'BTC_USDT was delisted at 1790000000',
    ],
    ['with at most 1,000 characters', long, long.slice(0, 1000)],
  ])('is quoted %s', async (_, message, exchangeMessage) => {
    const { server, exchange } = world();
    server.react = ({ connection, id }) => {
      connection.refuse(id, 11, message);
    };
    const methods = ['lastprice_subscribe', 'depth_subscribe', 'authorize'];
    const errors = methods.map((method) => errorsOf(calls[method]?.(exchange) ?? EMPTY));
    await ms(5000);
    expect(errors.flat()).toMatchObject([{ exchangeMessage }, { exchangeMessage }, { exchangeMessage }]);
    expect(printed(errors)).not.toMatch(/[\u202e\u2066\u200f\u061c]|[^\P{Cc}\n]/u);
  });

  it('of a message that is too long concerns no market that its end only begins like', async () => {
    const { exchange, server } = world();
    const markets = ['BTC_USD', 'BTC_USDT'];
    const text = `${'x'.repeat(992)} BTC_USDT is not available`;
    server.react = ({ connection, id, params }) => {
      if (params.includes('BTC_USDT')) connection.refuse(id, 11, text);
      else connection.confirm(id);
    };
    const errors = errorsOf(exchange.live.lastPrice({ markets }));
    await ms(5000);
    expect(errors).toMatchObject([{ message: expect.stringContaining('BTC_USDT:') as string }]);
  });
});

describe('a refusal that names a market and quotes a secret', () => {
  onFakeTime();

  it.each(forms)('costs that market alone, with a secret $name', async ({ write }) => {
    const { server, exchange } = world();
    const react = server.react;
    server.react = (got) => {
      if (got.method === 'lastprice_subscribe' && got.params.includes('BAD_USDT'))
        got.connection.refuse(got.id, 1, `${write(credentials.apiKey)} BAD_USDT does not exist`);
      else react(got);
    };
    const others = errorsOf(exchange.live.lastPrice({ markets: [market, 'ETH_USDT', 'XRP_USDT'] }));
    const errors = errorsOf(exchange.live.lastPrice({ markets: ['BAD_USDT'] }));
    await ms(5000);
    expect([...others, ...errors]).toMatchObject([{ key: 'BAD_USDT' }]);
    expect(printed(errors)).not.toContain(write(credentials.apiKey));
    expect(server.script.filter((line) => line.includes('lastprice_subscribe'))).toHaveLength(2);
  });
});
