// The hand-written exchange with an account: it issues tokens over REST, authorizes connections by them, and refuses
// anything private before.
import type { ClientOptions, Exchange } from 'exchange-rx';
import { attack, type Got, type Wire, type World } from '../hostile/hostile-exchange.js';

type Respond = (path: string, body: string) => Response | Promise<Response>;

export class Account {
  /** Every token that was issued, in order. */
  readonly tokens: string[] = [];
  /** What each wire was authorized with. */
  readonly authorized = new Map<Wire, string>();
  /** The subscriptions of each wire, by method and parameters. */
  readonly subscribed: string[] = [];
  /** The response to a request for a token. */
  issue: () => Response | Promise<Response> = () => json(200, { websocket_token: this.nextToken() });
  /** Any other response over REST. */
  rest: Respond = () => json(500, {});
  /** The reaction to a token; by default each is accepted once. */
  onToken: (got: Got, token: string) => void = ({ wire, id }, token) => {
    if (this.tokens.includes(token) && ![...this.authorized.values()].includes(token)) {
      this.authorized.set(wire, token);
      wire.ok(id);
    } else wire.no(id, 1, 'invalid argument');
  };
  /** The results of queries, by method. */
  readonly results = new Map<string, unknown>();
  /** The reaction to a request on an authorized connection. */
  react: (got: Got) => void = ({ wire, id, method, params }) => {
    if (method.endsWith('_subscribe')) this.subscribed.push(`${method} ${JSON.stringify(params)}`);
    if (method.endsWith('_request')) wire.answer(id, this.results.get(method));
    else wire.ok(id);
  };

  serve(world: World): void {
    world.on = (got) => {
      const { wire, id, method, params } = got;
      if (method === 'authorize') this.onToken(got, String(params[0]));
      else if (isPublic(method)) wire.ok(id);
      else if (this.authorized.has(wire)) this.react(got);
      else wire.no(id, 6, 'require authentication');
    };
  }

  /** Refuses the requests of an authorized connection whose method ends so. */
  refuse(method: string, code: number, message: string, times = Number.POSITIVE_INFINITY): void {
    const { react } = this;
    let left = times;
    this.react = (got) => {
      const isRefused = got.method.endsWith(method) && left > 0;
      if (isRefused) left -= 1;
      if (isRefused) got.wire.no(got.id, code, message);
      else react(got);
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

const publicChannels = ['trades', 'lastprice', 'market', 'bookTicker', 'depth'];
const isPublic = (method: string) => publicChannels.some((name) => method.startsWith(`${name}_`));

export function accountSetup(
  live: ClientOptions['live'] = {},
  options: Partial<ClientOptions> = {},
): { readonly account: Account; readonly world: World; readonly exchange: Exchange } {
  const account = new Account();
  const { world, exchange } = attack(live, {
    credentials: { apiKey: 'a-key-of-the-account', apiSecret: 'a-secret-of-the-account' },
    fetch: account.fetch,
    ...options,
  });
  account.serve(world);
  return { account, world, exchange };
}

/** The requests of the connections, without the tokens. */
export function scriptOf({ log }: World): readonly string[] {
  return log.map((line) => line.replace(/ authorize .*/, ' authorize'));
}
