// Written by `npm run docs`: the methods of `exchange.public`.
import type { CallOptions } from '../../client/index.js';
import type { Market } from '../../model/market.js';
import type { Observable } from 'rxjs';
import type { Pong } from './ping.js';
import type { ServerTime } from './server-time.js';

/** The methods of `exchange.public`. */
export interface PublicEndpoints {
  /**
   * Lists the markets and their trading rules: minimum and maximum, decimal places, fees. The exchange refreshes the
   * response every 10 s. With `checkOrders: true` the client itself reads the markets before the first order.
   *
   * `GET /api/v4/public/markets` · public · 2000 requests / 10 s (rate limit `public`) · a read, retried after a
   * transient failure
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicmarkets
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.markets().subscribe((markets) => console.log(markets.map(({ name }) => name)));
   * ```
   */
  readonly markets: (options?: CallOptions) => Observable<Market[]>;
  /**
   * Checks whether the API is operational. Emits `["pong"]`. {@link watchHealth} derives health states from it.
   *
   * `GET /api/v4/public/ping` · public · 2000 requests / 10 s (rate limit `public`) · a read, retried after a transient
   * failure
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicping
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.ping().subscribe(([pong]) => console.log(pong));
   * ```
   */
  readonly ping: (options?: CallOptions) => Observable<Pong>;
  /**
   * Reads the exchange's clock. Nonces must be within 5 s of it; a client learns the clock from responses by itself.
   *
   * `GET /api/v4/public/time` · public · 2000 requests / 10 s (rate limit `public`) · a read, retried after a transient
   * failure
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicservertime
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.serverTime().subscribe(({ time }) => console.log(new Date(time * 1000)));
   * ```
   */
  readonly serverTime: (options?: CallOptions) => Observable<ServerTime>;
}
