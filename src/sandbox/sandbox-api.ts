// The sandbox as its users see it: what it can be opened with, and the hands by which a test moves it.
import type { SandboxClock } from './clock.js';
import type { StopOrder } from './engine/engine.js';
import type { Depth, SandboxMarketOptions } from './engine/listing.js';
import type { Dialect } from './http/dialect.js';
import type { Fault, PendingFault, RandomFaults } from './http/faults.js';
import type { SandboxLimit, SandboxLimitGroup } from './http/rate-limits.js';
import type { SandboxRoute } from './http/route.js';
import type { Balances, Ledger, LedgerOrder, Wallet } from './ledger.js';
import type { OAuthClient } from './oauth.js';

/** An account to open in the sandbox. */
export interface SandboxAccountOptions {
  /** Name, by which `clientOptions`, `account` and the ledger know it. */
  readonly name: string;
  /** Balances by wallet and asset. Default: plenty of BTC, ETH, LTC and USDT. */
  readonly balances?: Readonly<Partial<Record<Wallet, Balances>>>;
}

/** Options of {@link createSandbox}. */
export interface SandboxOptions {
  /**
   * `live` (default): the names, statuses and short forms of the live exchange, which drops fields that it does not
   * know. `spec`: those of its description.
   */
  readonly dialect?: Dialect;
  /** The same seed gives the same prices, keys and identifiers. Default 1. */
  readonly seed?: number;
  /** `real` (default): prices move with the time of day. `manual`: time stands still until `clock.advance(ms)`. */
  readonly clock?: 'real' | 'manual';
  /** How often prices move, milliseconds. Default 250. */
  readonly tickMs?: number;
  /** The greatest relative step of a price at each tick; 0 stands still. Default 0.0004. */
  readonly volatility?: number;
  /**
   * The markets to open. Default: BTC_USDT and ETH_USDT, which trade on collateral too, and LTC_USDT, which does not.
   */
  readonly markets?: readonly SandboxMarketOptions[];
  /** How long after it ended an order is missing from the history, milliseconds. Default 0. */
  readonly historyLagMs?: number;
  /**
   * How long what is over is kept, milliseconds by the sandbox's clock: orders that have ended, in the history too,
   * executions, balance changes and requests. Each is kept at least that long; once it is twice as old, a request makes
   * it forgotten. Orders stay as long as they are open, however old their executions are. Must be more than
   * `historyLagMs`, or `createSandbox` throws; let it be more than the time in which your client looks for an order:
   * one that is forgotten counts as never placed. Of requests without an `account` in the ledger, at most the newest
   * 100,000 are kept (at least 50,000), because every program of the machine can send them to a port. Default:
   * everything for ever, so that a test can count it.
   */
  readonly retentionMs?: number;
  /** Limits that replace the exchange's, by group. */
  readonly limits?: Readonly<Partial<Record<SandboxLimitGroup, SandboxLimit>>>;
  /** The accounts to open, each with a key of its own. Default: one, named `main`. */
  readonly accounts?: readonly SandboxAccountOptions[];
  /** How many sub-accounts there are. Default 40. */
  readonly subAccounts?: number;
  /** How many accounts of the mining pool there are. Default 35. */
  readonly miningAccounts?: number;
  /**
   * Routes that ignore `client_order_id`, as a field that they do not know, by path; `true` for all. An order that such
   * a route places has no identifier, in its response, in lists and in the history; a list that is asked for one shows
   * every order. Default: none.
   */
  readonly dropIdentifiers?: readonly string[] | true;
  /**
   * What the `Date` header of every response is off by, milliseconds, below 0 for behind: the clock of the edge, and
   * not of the exchange, whose nonces and `public/time` go by the sandbox's clock. Default 0. Change it with
   * {@link Sandbox.setDateOffset}.
   */
  readonly dateOffsetMs?: number;
  /**
   * Whether open orders with a stop loss or take profit are listed by `POST /api/v4/conditional-orders` only. Default
   * false: by `POST /api/v4/orders`, too. Once they have ended they are in the order history, as all are.
   */
  readonly conditionalListing?: boolean;
}

/** Requests to answer with 503. */
export interface Outage extends Pick<Fault, 'path' | 'executed' | 'retryAfterSeconds'> {
  /** How many requests. */
  readonly times: number;
}

/** What `createExchange()` needs to talk to the sandbox. */
export interface SandboxClientOptions {
  /** The address it answers for. */
  readonly baseUrl: string;
  /** The key of one of its accounts. */
  readonly credentials: {
    /** The public key. */
    readonly apiKey: string;
    /** The secret that requests are signed with. */
    readonly apiSecret: string;
  };
  /**
   * Seeded jitter for the client's retries, so that the same seed is the same run. Each call of `clientOptions` gives
   * another.
   */
  readonly retry: {
    /** Numbers from 0 to 1. */
    readonly random: () => number;
  };
}

/** What `createExchange()` needs to talk to the sandbox in process, with no port and no socket. */
export interface InProcessClientOptions extends SandboxClientOptions {
  /** Answers requests: {@link Sandbox.fetch}. */
  readonly fetch: Sandbox['fetch'];
}

/** The hands on one account. */
export interface SandboxAccount {
  /** The name it was opened with. */
  readonly name: string;
  /** Adds to a balance; a negative amount takes from it. `amount` is a decimal string. */
  deposit(asset: string, amount: string, wallet: Wallet): void;
  /** Switches its key off, or on again. */
  enableKey(enabled: boolean): void;
  /** Restricts its key to these paths; `undefined` lifts the restriction. */
  restrictKey(paths: readonly string[] | undefined): void;
  /** Takes the products behind these paths from the account. */
  revokePaths(paths: readonly string[]): void;
  /**
   * In hedge mode, orders name the side of their position (`positionSide`), and long and short ones are held side by
   * side. Off at first.
   */
  setHedgeMode(enabled: boolean): void;
}

/** The hands on one market. */
export interface SandboxMarket {
  /** The price that the sandbox's own offers lie around. */
  price(): string;
  /** Moves the price; stop orders and resting orders that it reaches are executed. */
  setPrice(price: string): void;
  /** Replaces what the sandbox offers on either side. */
  setDepth(depth: Depth): void;
  /** Whether it accepts orders, as its record says in `tradesEnabled`. On at first. */
  setTradesEnabled(enabled: boolean): void;
}

/** Options of {@link Sandbox.listen}. */
export interface ListenOptions {
  /** The port, 0 to 65535. Default 0, a free one. */
  readonly port?: number;
  /**
   * Origins of web pages whose requests are answered, as browsers write them: `http://localhost:5173`. For a page whose
   * development server passes its requests on to the sandbox. Responses have no CORS headers. Default: none.
   */
  readonly allowedOrigins?: readonly string[];
}

/** A sandbox that is served on a port of 127.0.0.1. */
export interface SandboxServer {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  /** The port. */
  readonly port: number;
  /** What `createExchange()` needs to talk to it. */
  clientOptions(account?: string): SandboxClientOptions;
  /** Stops serving and closes every connection. */
  close(): Promise<void>;
}

/**
 * An exchange in process, for tests, demos and trying things out. It holds no timer and no handle;
 * {@link Sandbox.listen} does, until closed.
 */
export interface Sandbox {
  /** The address that {@link Sandbox.fetch} answers for. */
  readonly baseUrl: string;
  /** Answers a request as the exchange would. A body of more than 64 KiB gets 413. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Its time: what it stamps orders with, and what nonces are compared with. */
  readonly clock: SandboxClock;
  /** Everything that happened, exactly, as far back as `retentionMs`. */
  readonly ledger: Ledger;
  /** The application that OAuth tokens are for, with its first refresh token. */
  readonly oauthClient: OAuthClient;
  /** What `createExchange()` needs to talk to it in process. `account` by name, default the first. */
  clientOptions(account?: string): InProcessClientOptions;
  /**
   * Serves it on a port of 127.0.0.1; by default a free one. `listen(8080)` is short for `listen({ port: 8080 })`.
   * Takes 4096 connections, 100 requests of each that wait for their responses, 10 s for the headers of a request and
   * 30 s for the whole of it. Requests of web pages, which a browser marks with `Origin` or `Sec-Fetch-Site`, and
   * requests whose `Host` is not this machine get 403. Rejects with an error that names the option when one is wrong,
   * and with that of the system when the port is taken.
   *
   * @example
   * ```ts
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const server = await createSandbox().listen({ allowedOrigins: ['http://localhost:5173'] });
   * await server.close();
   * ```
   */
  listen(portOrOptions?: number | ListenOptions): Promise<SandboxServer>;
  /** The hands on an account by name, default the first. Throws when there is none of that name. */
  account(name?: string): SandboxAccount;
  /** The hands on a market by name, `BASE_QUOTE`. Throws when there is none of that name. */
  market(name: string): SandboxMarket;
  /** Answers the next requests with 503: short for a {@link Fault} of kind `status`. */
  unavailable(outage: Outage): void;
  /**
   * Does this to the next requests instead of answering them; at a route for signed requests, to the next that a key
   * signed. Throws for a path that the sandbox has no route for.
   */
  fault(fault: Fault): void;
  /**
   * The faults that have not met all of their requests yet, in the order in which they were injected. Those at random
   * are not among them.
   */
  pendingFaults(): readonly PendingFault[];
  /**
   * Throws an error that lists {@link Sandbox.pendingFaults} when there are any: at the end of a test, a fault that met
   * nothing tested nothing.
   */
  assertNoPendingFaults(): void;
  /** Does this to requests at random, in the same way for the same seed; `undefined` ends it. */
  randomFaults(faults: RandomFaults | undefined): void;
  /** Sets what the `Date` header of every response is off by, milliseconds: see {@link SandboxOptions.dateOffsetMs}. */
  setDateOffset(ms: number): void;
  /**
   * Adds a route for an endpoint that the sandbox does not have. Throws when it has one of this path.
   *
   * @example
   * ```ts
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const sandbox = createSandbox();
   * sandbox.route({
   *   method: 'POST',
   *   path: '/api/v4/main-account/fee',
   *   authentication: 'signed',
   *   handle: ({ account, fields }) => ({ account, ticker: fields['ticker'], fee: '0.1' }),
   * });
   * ```
   */
  route(route: SandboxRoute): void;
  /** Puts in a stop order: no endpoint of the spec makes one. */
  placeStopOrder(account: string, order: StopOrder): LedgerOrder;
}
