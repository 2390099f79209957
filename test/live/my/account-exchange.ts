// The hand-written exchange with an account: it issues tokens over REST, authorizes connections by them, and refuses
// anything private before.
import type { ClientOptions } from 'exchange-rx';
import type { LiveConnection, LiveExchange, ReceivedRequest } from '../../support/live-exchange.js';
import { distantSetup, type Setup } from '../setup.js';

type Respond = (path: string, body: string) => Response | Promise<Response>;

export class Account {
  readonly tokens: string[] = [];
  readonly authorized = new Map<LiveConnection, string>();
  /** The subscriptions of each connection, by method and parameters. */
  readonly subscribed: string[] = [];
  readonly #refusals: { readonly method: string; readonly code: number; readonly message: string; left: number }[] = [];
  issue: () => Response | Promise<Response> = () => json(200, { websocket_token: this.nextToken() });
  /** Any other response over REST. */
  rest: Respond = () => json(500, {});
  /** The reaction to a token; by default each is accepted once. */
  onToken: (got: ReceivedRequest, token: string) => void = ({ connection, id }, token) => {
    if (this.tokens.includes(token) && ![...this.authorized.values()].includes(token)) {
      this.authorized.set(connection, token);
      connection.confirm(id);
    } else connection.refuse(id, 1, 'invalid argument');
  };
  /** The results of queries, by method. */
  readonly results = new Map<string, unknown>([
    ['balanceSpot_request', { USDT: { available: '100', freeze: '0' } }],
    ['balanceMargin_request', {}],
  ]);
  react: (got: ReceivedRequest) => void = ({ connection, id, method, params }) => {
    if (method.endsWith('_subscribe')) this.subscribed.push(`${method} ${JSON.stringify(params)}`);
    if (method === 'time') connection.respond(id, Math.floor(Date.now() / 1000));
    else if (method.endsWith('_request')) connection.respond(id, this.results.get(method));
    else connection.confirm(id);
  };

  serve(server: LiveExchange): void {
    server.react = (got) => {
      const { connection, id, method, params } = got;
      const refusal = this.#refusals.find((one) => one.left > 0 && method.endsWith(one.method));
      if (refusal !== undefined) {
        refusal.left -= 1;
        connection.refuse(id, refusal.code, refusal.message);
      } else if (method === 'authorize') this.onToken(got, String(params[0]));
      else if (!ofAccounts.test(method)) connection.confirm(id);
      else if (this.authorized.has(connection)) this.react(got);
      else connection.refuse(id, 6, 'require authentication');
    };
  }

  /** Refuses requests whose method ends so, until the returned function is called. */
  refuse(method: string, code: number, message: string, times = Number.POSITIVE_INFINITY): () => void {
    const refusal = { method, code, message, left: times };
    this.#refusals.push(refusal);
    return () => {
      refusal.left = 0;
    };
  }

  /** Holds queries back until the returned function is called, and then responds to them. */
  holdQueries(): () => void {
    const { react } = this;
    const held: ReceivedRequest[] = [];
    this.react = (got) => {
      if (got.method.endsWith('_request')) held.push(got);
      else react(got);
    };
    return () => {
      this.react = react;
      for (const got of held) react(got);
    };
  }

  nextToken(): string {
    const token = `$2y$10$Token${this.tokens.length + 1}/oH3kQz8vR1xW5yT7uN9bC2dF4gJ6mL0pS`;
    this.tokens.push(token);
    return token;
  }

  readonly fetch = (url: string, init?: { readonly body?: unknown }): Promise<Response> =>
    Promise.resolve(
      url.endsWith('/profile/websocket_token')
        ? this.issue()
        : this.rest(new URL(url).pathname, typeof init?.body === 'string' ? init.body : ''),
    );
}

export function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

const ofAccounts = /^(time$|balance|orders|deals|positions|borrows|ADLQuantile)/;

export function accountSetup(options: Partial<ClientOptions> = {}): Setup & { readonly account: Account } {
  const account = new Account();
  const { server, exchange } = distantSetup({
    credentials: { apiKey: 'a-key-of-the-account', apiSecret: 'a-secret-of-the-account' },
    fetch: account.fetch,
    ...options,
  });
  account.serve(server);
  return { account, server, exchange };
}

/** The requests of the connections, without the tokens. */
export function scriptOf({ script }: LiveExchange): readonly string[] {
  return script.map((line) => line.replace(/ authorize .*/, ' authorize'));
}
