// Written by `npm run docs`: the methods of `exchange.public`.
import type { Assets } from './assets.js';
import type { CallOptions } from '../../client/index.js';
import type { Candle } from '../../model/candle.js';
import type { CandlesParams } from './candles.js';
import type { FeesByAsset } from './asset-fees.js';
import type { FundingRate } from '../../model/funding-rate.js';
import type { FundingRateHistoryParams } from './funding-rate-history.js';
import type { FuturesMarket } from '../../model/futures-market.js';
import type { Market } from '../../model/market.js';
import type { MarketDepthParams } from './market-depth.js';
import type { MiningPool } from './mining-pool.js';
import type { Observable } from 'rxjs';
import type { OrderBook } from '../../model/order-book.js';
import type { OrderBookParams } from './order-book.js';
import type { PlatformStatus } from './platform-status.js';
import type { Pong } from './ping.js';
import type { RecentTradesParams } from './recent-trades.js';
import type { ServerTime } from './server-time.js';
import type { Tickers } from './tickers.js';
import type { Trade } from '../../model/trade.js';

/** The methods of `exchange.public`. */
export interface PublicEndpoints {
  /**
   * Reads the fees of deposits and withdrawals, by asset and network. These are not the fees of trading, which are those
   * of {@link markets}. The exchange refreshes the response about every minute.
   *
   * `GET /api/v4/public/fee` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
   * retried after a transient failure
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicassetfees
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.assetFees().subscribe((fees) => console.log(fees['BTC']?.withdraw));
   * ```
   */
  readonly assetFees: (options?: CallOptions) => Observable<FeesByAsset>;
  /**
   * Reads the assets by ticker: their networks, and the bounds of deposits and withdrawals. Fiat currencies and payment
   * methods are among them. The exchange refreshes the response about every minute.
   *
   * `GET /api/v4/public/assets` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
   * retried after a transient failure
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicassets
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.assets().subscribe((assets) => console.log(assets['BTC']?.networks?.withdraws));
   * ```
   */
  readonly assets: (options?: CallOptions) => Observable<Assets>;
  /**
   * Lists the candles of a market, in the order of the exchange. A candle is an object with `open`, `high`, `low` and
   * `close` by name: the exchange sends a list in the order open, **close, high, low**. The live exchange lists closed
   * candles only.
   *
   * `GET /api/v1/public/kline` · public · 1000 requests / 10 s and 2000 requests / 10 s (rate limit `public`) · a read,
   * retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `market` (`market`), `validation` (`start` or `end` or `interval` or `limit`)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publiccandles
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.candles({ market: 'BTC_USDT', interval: '1m', limit: 5 }).subscribe((candles) => {
   *   for (const { time, open, close } of candles) console.log(new Date(time * 1000), open, close);
   * });
   * ```
   */
  readonly candles: (params: CandlesParams, options?: CallOptions) => Observable<Candle[]>;
  /**
   * Lists the names of the markets that trade on collateral, margin and futures. The exchange refreshes the response
   * every 10 s.
   *
   * `GET /api/v4/public/collateral/markets` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10
   * s · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `region` (HTTP 451)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publiccollateralmarkets
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.collateralMarkets().subscribe((markets) => console.log(markets.includes('BTC_USDT')));
   * ```
   */
  readonly collateralMarkets: (options?: CallOptions) => Observable<string[]>;
  /**
   * Lists the funding rates that a futures market charged, newest first. Parameters have times in Unix seconds; times of
   * the response are strings of Unix seconds.
   *
   * `GET /api/v4/public/funding-history/{market}` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests
   * / 10 s · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `market` (HTTP 422, `market`), `validation` (HTTP 422)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicfundingratehistory
   * @example
   * ```ts
   * import type { Exchange } from 'exchange-rx';
   *
   * const logRates = (exchange: Exchange) =>
   *   exchange.public.fundingRateHistory({ market: 'BTC_PERP', limit: 3 }).subscribe((rates) => {
   *     for (const { fundingTime, fundingRate } of rates) console.log(new Date(Number(fundingTime) * 1000), fundingRate);
   *   });
   * ```
   */
  readonly fundingRateHistory: (params: FundingRateHistoryParams, options?: CallOptions) => Observable<FundingRate[]>;
  /**
   * Lists the futures markets with their prices, funding rate and leverage. `next_funding_rate_timestamp` is in
   * milliseconds, unlike every other time of the exchange. The exchange refreshes prices every second.
   *
   * `GET /api/v4/public/futures` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
   * retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `region` (HTTP 451)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicfuturesmarkets
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.futuresMarkets().subscribe((markets) => {
   *   for (const { ticker_id, funding_rate, max_leverage } of markets) console.log(ticker_id, funding_rate, max_leverage);
   * });
   * ```
   */
  readonly futuresMarkets: (options?: CallOptions) => Observable<FuturesMarket[]>;
  /**
   * Reads the price levels of a market within 2 % of its last price, on either side. Levels are `[price, amount]`. The
   * exchange refreshes the response every second. A book with an unreadable level, that is not sorted, or that is crossed,
   * is a {@link ResponseError}.
   *
   * `GET /api/v4/public/orderbook/depth/{market}` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests
   * / 10 s · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `market` (HTTP 422, `market`), `validation` (HTTP 422)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicmarketdepth
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.marketDepth({ market: 'BTC_USDT' }).subscribe(({ asks, bids }) => console.log(asks.length, bids.length));
   * ```
   */
  readonly marketDepth: (params: MarketDepthParams, options?: CallOptions) => Observable<OrderBook>;
  /**
   * Lists the markets and their trading rules: minimum and maximum, decimal places, fees. The exchange refreshes the
   * response every 10 s. With `checkOrders: true` the client itself reads the markets before the first order.
   *
   * `GET /api/v4/public/markets` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
   * retried after a transient failure
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
   * Reads the state of the mining pool: addresses, workers, hash rates and blocks. Hash rates are decimal strings of
   * hashes per second.
   *
   * `GET /api/v4/public/mining-pool` · public · 1000 requests / 10 s and 2000 requests / 10 s (rate limit `public`) · a
   * read, retried after a transient failure
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicminingpool
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.miningPool().subscribe(({ data }) => console.log(data.workers, data.current_hash_rate));
   * ```
   */
  readonly miningPool: (options?: CallOptions) => Observable<MiningPool>;
  /**
   * Reads the order book of a market: the best price levels, at most 100 of each side. Levels are `[price, amount]`. The
   * book has no retail price improvement (RPI) orders, and `timestamp` is the time of the response. The exchange
   * refreshes the response every 100 ms. A book with an unreadable level, that is not sorted, or that is crossed, is a
   * {@link ResponseError}.
   *
   * `GET /api/v4/public/orderbook/{market}` · public · 600 requests / 10 s and 2000 requests / 10 s (rate limit `public`)
   * · a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `market` (HTTP 422, `market`), `validation` (HTTP 422)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicorderbook
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.orderBook({ market: 'BTC_USDT', limit: 5 }).subscribe(({ asks, bids }) => {
   *   const [[ask] = [], [bid] = []] = [asks[0], bids[0]];
   *   console.log(`bid ${bid}, ask ${ask}`);
   * });
   * ```
   */
  readonly orderBook: (params: OrderBookParams, options?: CallOptions) => Observable<OrderBook>;
  /**
   * Checks whether the API is operational. Emits `["pong"]`. {@link watchHealth} derives health states from it.
   *
   * `GET /api/v4/public/ping` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
   * retried after a transient failure
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
   * Reads whether the exchange is operational or in maintenance. During maintenance, calls may end with
   * {@link UnavailableError} instead. {@link watchHealth} watches the health of the API.
   *
   * `GET /api/v4/public/platform/status` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s ·
   * a read, retried after a transient failure
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicplatformstatus
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.platformStatus().subscribe(({ status }) => console.log(status));
   * ```
   */
  readonly platformStatus: (options?: CallOptions) => Observable<PlatformStatus>;
  /**
   * Lists the newest trades of a market, at most 100, newest first. There are no further pages. The names of the volumes
   * are reversed here: **`quote_volume` is the amount in the base currency**, and `base_volume` is the total in the quote
   * currency. The exchange refreshes the response every second.
   *
   * `GET /api/v4/public/trades/{market}` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s ·
   * a read, retried after a transient failure
   *
   * @throws {@link ApiError} with `reason` `market` (HTTP 422, `market`), `validation` (HTTP 422)
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publicrecenttrades
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.recentTrades({ market: 'BTC_USDT' }).subscribe((trades) => {
   *   for (const { price, quote_volume: amount, type } of trades) console.log(type, amount, 'at', price);
   * });
   * ```
   */
  readonly recentTrades: (params: RecentTradesParams, options?: CallOptions) => Observable<Trade[]>;
  /**
   * Reads the exchange's clock. Nonces must be within 5 s of it; a client learns the clock from responses by itself.
   *
   * `GET /api/v4/public/time` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
   * retried after a transient failure
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
  /**
   * Reads the last price and the 24-hour activity of every market, by market. Volumes have their usual meaning here:
   * `base_volume` is an amount of the base currency. The exchange refreshes the response every second.
   *
   * `GET /api/v4/public/ticker` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
   * retried after a transient failure
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/public.md#publictickers
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.public.tickers().subscribe((tickers) => console.log(tickers['BTC_USDT']?.last_price));
   * ```
   */
  readonly tickers: (options?: CallOptions) => Observable<Tickers>;
}
