// The public interface of the sandbox: the functions by which a test controls it.
import type { Observable } from 'rxjs';
import type { SandboxClock } from './clock.js';
import type { MarketDepth } from './engine/index.js';
import type { Fault, PendingFault, RandomFaults } from './faults/index.js';
import type { SandboxRoute } from './http/index.js';
import type { Ledger, SandboxTrade, Wallet } from './ledger.js';
import type { LiveFault, PendingLiveFault, RandomLiveFaults, SandboxWebSocketClass } from './live/index.js';
import type { MarketStatus, RunOptions, RunResult } from './replay/index.js';
import type { OAuthClient } from './tokens.js';
import type { ListenOptions } from './port/listen.js';

/** Client options for the sandbox on a port. */
export interface SandboxClientOptions {
  /** The address of the sandbox. */
  readonly baseUrl: string;
  /** The API key of the account. */
  readonly credentials: {
    /** The public key. */
    readonly apiKey: string;
    /** The secret that requests are signed with. */
    readonly apiSecret: string;
  };
  /**
   * Seeded jitter for the client's retries, so that the same seed gives the same run. Each call of `clientOptions`
   * gives different jitter.
   */
  readonly retry: {
    /** Returns numbers from 0 to 1. */
    readonly random: () => number;
  };
}

/** Client options for the sandbox in process, without a port. */
export interface InProcessClientOptions extends SandboxClientOptions {
  /** {@link Sandbox.fetch}. */
  readonly fetch: Sandbox['fetch'];
  /** {@link Sandbox.WebSocket}. */
  readonly webSocket: Sandbox['WebSocket'];
  /** Of a sandbox that replays: the time of the recording. */
  readonly now?: () => number;
}

/** Controls of one account. */
export interface SandboxAccount {
  /** The name of the account. */
  readonly name: string;
  /** Adds `amount`, a decimal string, to a balance; subtracts a negative amount. */
  deposit(asset: string, amount: string, wallet: Wallet): void;
  /**
   * Makes a deposit that the exchange canceled: its money is on no balance, and `account.refundDeposit` sends it back.
   * Returns its `transactionId`. Default: the default network of the asset.
   */
  cancelDeposit(asset: string, amount: string, network?: string): string;
  /**
   * Starts a deposit over a network. The first confirmation credits it after 5 s; until the last one, each 5 s later, it can be
   * traded and not withdrawn. Returns its `transactionId`. Default: the default network of the asset.
   */
  receiveDeposit(asset: string, amount: string, network?: string): string;
  /** Lets a withdrawal fail that is not settled yet: 30 s after its request. Its money is on the main balance again. */
  cancelWithdrawal(uniqueId: string): void;
  /**
   * Lets a worker mine for one of the account's mining accounts from now on; 0 disconnects it. Each 24 hours after the first
   * worker, the pool pays 0.0000005 BTC for a terahash a second, less 1 %. Throws for an unknown mining account.
   *
   * @param terahashes decimal string, terahashes a second
   */
  connectWorker(miningAccount: string, worker: string, terahashes: string): void;
  /** Enables or disables the account's API key. */
  setKeyEnabled(enabled: boolean): void;
  /** Restricts the account's API key to these paths; `undefined` removes the restriction. */
  restrictKey(paths: readonly string[] | undefined): void;
  /** Revokes the account's access to the products behind these paths; replaces the paths of the previous call. */
  revokePaths(paths: readonly string[]): void;
  /**
   * Sets hedge mode, in which orders name the side of their position (`positionSide`) and an account can hold a long
   * and a short position in one market. Initially off.
   */
  setHedgeMode(enabled: boolean): void;
}

/** Controls of one market. */
export interface SandboxMarket {
  /**
   * Whether the market accepts and fills orders, now and after each change. A recorded or followed market is closed until
   * its first snapshot, and from each gap to the next one: orders are rejected with code 31, cancels work, nothing is
   * filled. It fails with the error that ends the following. Other markets are open.
   */
  readonly status$: Observable<MarketStatus>;
  /** The price around which the sandbox offers its own liquidity. */
  price(): string;
  /**
   * The newest trades of the market, oldest first: those of accounts, and those that the sandbox makes itself while the
   * price moves. The ticker, the candles and the recent trades of the public endpoints are computed from them, and from
   * those of the past (see `history`), which are not among them. The newest 10,000 to 20,000 are kept.
   *
   * @example
   * ```ts
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const market = createSandbox().market('BTC_USDT');
   * market.setPrice('61000');
   * console.log(market.trades().at(-1)?.price); // 61000
   * ```
   */
  trades(): readonly SandboxTrade[];
  /**
   * Sets the price. Stop orders and resting orders that the price reaches are executed; then the sandbox trades the
   * minimum amount at the price, so that the public endpoints show it as the last price.
   */
  setPrice(price: string): void;
  /** Sets the sandbox's own liquidity on each side of the price. */
  setDepth(depth: MarketDepth): void;
  /** Sets whether the market accepts orders: `tradesEnabled` in the list of markets. Initially true. */
  setTradesEnabled(enabled: boolean): void;
  /**
   * Delists the market for good: its open orders end with the status `DELISTING`, and it is in no public list any more.
   * `POST /api/v4/trade-account/order/history/query` lists these orders.
   */
  delist(): void;
}

/** A channel of the real-time interface. */
export interface SandboxChannel {
  /**
   * Pushes a message of your own to every connection that is subscribed to the channel, as the exchange would: each may
   * meet a fault. The sandbox's own state does not change.
   *
   * @param params the `params` of the message, of any JSON values: a list; of `positionsMargin` and `borrowsMargin`, an
   *   object
   */
  push(params: readonly unknown[] | Readonly<Record<string, unknown>>): void;
}

/** The sandbox on a port of 127.0.0.1. */
export interface SandboxServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  /** The port. */
  readonly port: number;
  /** Options for `createExchange()`. `account` is a name. Default: the first account. */
  clientOptions(account?: string): SandboxClientOptions;
  /** Stops serving and closes every connection. */
  close(): Promise<void>;
}

/**
 * An exchange in process, for tests, demos and experiments. It has no timer and no open handle, except the delays of
 * faults, a timer that does not keep the process alive while a stream is open, and the port of {@link Sandbox.listen}.
 */
export interface Sandbox extends AsyncDisposable {
  /** The base URL that {@link Sandbox.fetch} responds to. */
  readonly baseUrl: string;
  /** Responds to a request as the exchange does. A body of more than 64 KiB gets 413. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Connects to the real-time interface at `wss://exchange.sandbox.test/ws`, with `addEventListener`, `send` and `close`
   * of the standard WebSocket. Events come in microtasks. Any other address is a connection error.
   */
  readonly WebSocket: SandboxWebSocketClass;
  /** The exchange's clock: the time of orders and fills, and the time that nonces are compared with. */
  readonly clock: SandboxClock;
  /** The exact record of everything that happened, as far back as `retentionMs`. */
  readonly ledger: Ledger;
  /** The application of the OAuth endpoint, with its first refresh token. */
  readonly oauthClient: OAuthClient;
  /** Options for `createExchange()` in process. `account` is a name. Default: the first account. */
  clientOptions(account?: string): InProcessClientOptions;
  /**
   * Serves the sandbox on a port of 127.0.0.1, with the real-time interface at `/ws`. `listen(8080)` is short for `listen({ port: 8080 })`.
   *
   * Bounds: 4096 connections, 10 s for the headers of a request, 30 s for the complete request, 64 KiB for a message of the
   * real-time interface. Requests of web pages, which browsers mark with `Origin` or
   * `Sec-Fetch-Site`, get 403, and so do requests whose `Host` is not this machine. Rejects when an option is invalid,
   * and with the system's error when the port is in use.
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
  /** Closes every port of {@link Sandbox.listen}, and follows no longer. In process, the sandbox responds on. */
  close(): Promise<void>;
  /** Controls of an account, by name. Default: the first account. Throws for an unknown name. */
  account(name?: string): SandboxAccount;
  /** Controls of a market, by name (`BASE_QUOTE`). Throws for an unknown name. */
  market(name: string): SandboxMarket;
  /**
   * Injects a fault into the next requests. On a route for signed requests, only requests that a key of the sandbox
   * signed meet the fault. Throws for a path without a route.
   */
  fault(fault: Fault): void;
  /**
   * Injects a fault into the real-time interface: into open connections, or into the next ones, requests or messages.
   * Throws for an unknown channel or market.
   */
  liveFault(fault: LiveFault): void;
  /**
   * A channel of the real-time interface by its name on the wire, such as `lastprice` or `ordersPending`, for messages
   * that the sandbox does not make itself. Throws for an unknown name.
   *
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const sandbox = createSandbox();
   * const exchange = createExchange(sandbox.clientOptions());
   * exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe(({ price, status }) => console.log(price, status));
   * setTimeout(() => sandbox.channel('lastprice').push(['BTC_USDT', 'no number']), 50); // the last price is stale
   * ```
   */
  channel(name: string): SandboxChannel;
  /** Injects faults into the real-time interface at random, reproducibly for one seed; `undefined` ends them. */
  randomLiveFaults(faults: RandomLiveFaults | undefined): void;
  /**
   * The injected faults that have not met all of their requests yet, in the order of injection, and those of the
   * real-time interface after them; no random faults.
   */
  pendingFaults(): readonly (PendingFault | PendingLiveFault)[];
  /**
   * Throws an error that lists {@link Sandbox.pendingFaults}, if there are any. Call it at the end of a test: a fault
   * that no request met has tested nothing.
   */
  assertNoPendingFaults(): void;
  /** Injects faults into requests at random, reproducibly for one seed; `undefined` ends them. */
  randomFaults(faults: RandomFaults | undefined): void;
  /**
   * Sets whether the exchange is in maintenance: `GET /api/v4/public/platform/status` says so, and every other request
   * gets the gateway's 503, which is not JSON. Time goes on: prices move, and kill switches fire. Initially off.
   */
  setMaintenance(enabled: boolean): void;
  /**
   * Replays the recording to a program: subscribes to the observable that it returns, until it ends, or until the
   * recording has. A sandbox runs one program.
   *
   * Timers, `Date`, `performance` and `process.hrtime` of the whole process follow the recording, as fast as the machine
   * goes; `Math.random` and `crypto.randomUUID` are seeded, other random bytes are not. All is restored at the end. The same recording, program and
   * options give the same ledger. Make the client inside the program: one that was made before has the real time.
   *
   * Rejects with the program's error; with `strict`, when {@link RunResult.escapes} is not empty; while another run goes
   * on; and with {@link RecordingError} for files that are gone.
   *
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { openRecording, record } from 'exchange-rx/recording';
   * import { createSandbox } from 'exchange-rx/sandbox';
   * import { mkdtemp } from 'node:fs/promises';
   * import { lastValueFrom, timer } from 'rxjs';
   *
   * const to = await mkdtemp('/tmp/recording-');
   * const exchange = createExchange(createSandbox().clientOptions());
   * await lastValueFrom(record(exchange, { markets: ['BTC_USDT'], to, until: timer(500) }));
   *
   * const sandbox = createSandbox({ replay: await openRecording(to) });
   * const { ledgerHash } = await sandbox.run((options) =>
   *   createExchange(options).live.orderBook({ market: 'BTC_USDT' }),
   * );
   * console.log(ledgerHash, sandbox.ledger.fills.length);
   * ```
   */
  run(program: (options: InProcessClientOptions) => Observable<unknown>, options?: RunOptions): Promise<RunResult>;
  /**
   * Adds a route for an endpoint that the sandbox does not have. Throws when a route has the same path.
   *
   * @example
   * ```ts
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const sandbox = createSandbox();
   * sandbox.route({
   *   method: 'POST',
   *   path: '/api/v4/credit-line/loans/info',
   *   authentication: 'signed',
   *   handle: () => ({ asset: 'USDT', amount: '1000', currentLtv: '61.2' }),
   * });
   * ```
   */
  route(route: SandboxRoute): void;
}
