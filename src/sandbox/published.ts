// The interface that the exchange publishes: paths, fields and rate limits of the sandbox's routes. It is the sandbox's
// own copy, because facts that it shared with the SDK could not show a mistake of the SDK.
import { candleIntervals } from '../model/candle.js';

export interface PublishedField {
  /** Of a field of a query. */
  readonly type?: 'string' | 'integer';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: string | number;
}

interface Terms {
  /** Default: 10000 requests / 10 s. */
  readonly requests?: number;
  readonly perSeconds?: number;
  /** The fields of the query, or the bounds and defaults of the body, by their names on the wire. */
  readonly fields?: Readonly<Record<string, PublishedField>>;
  /** The names of the required fields, where no rule of the route's own says more. */
  readonly required?: readonly string[];
}

/** The page of a list: the largest `limit`, and the default one. */
const page = (maximum: number, limit = maximum, maxOffset = Number.MAX_SAFE_INTEGER) => ({
  limit: { minimum: 1, maximum, default: limit },
  offset: { minimum: 0, maximum: maxOffset, default: 0 },
});
const maxOffset = 4_294_967_295;
const integer = { type: 'integer' } as const;
const time = { type: 'integer', minimum: 0 } as const;

const marketOrder = ['market', 'side', 'amount'];
const stopMarketOrder = [...marketOrder, 'activation_price'];

/** By path. The name of a parameter of a path stands in braces: `/orderbook/{market}`. */
const endpoints = {
  '/api/v1/public/kline': {
    requests: 1000,
    required: ['market'],
    fields: {
      market: { type: 'string', default: 'BTC_USDT' },
      start: integer,
      end: integer,
      interval: { type: 'string', enum: candleIntervals, default: '1h' },
      limit: { type: 'integer', minimum: 1, maximum: 1440, default: 1440 },
    },
  },
  '/api/v1/public/ticker': { requests: 1000, required: ['market'], fields: { market: { type: 'string' } } },
  '/api/v4/public/platform/status': {},
  '/api/v4/public/markets': { requests: 2000 },
  '/api/v4/public/ticker': { requests: 2000 },
  '/api/v4/public/assets': { requests: 2000 },
  '/api/v4/public/orderbook/{market}': {
    requests: 600,
    fields: {
      limit: { type: 'integer', minimum: 0, maximum: 100, default: 100 },
      level: { type: 'integer', minimum: 0, maximum: 10, default: 0 },
    },
  },
  '/api/v4/public/orderbook/depth/{market}': { requests: 2000 },
  '/api/v4/public/trades/{market}': { requests: 2000, fields: { type: { type: 'string', enum: ['buy', 'sell'] } } },
  '/api/v4/public/fee': { requests: 2000 },
  '/api/v4/public/time': { requests: 2000 },
  '/api/v4/public/ping': { requests: 2000 },
  '/api/v4/public/collateral/markets': { requests: 2000 },
  '/api/v4/public/futures': { requests: 2000 },
  '/api/v4/public/funding-history/{market}': {
    requests: 2000,
    fields: {
      startDate: time,
      endDate: time,
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
    },
  },
  '/api/v4/public/mining-pool': { requests: 1000 },
  '/api/v4/order/new': {},
  '/api/v4/order/bulk': {},
  '/api/v4/order/stock_market': { required: marketOrder },
  '/api/v4/order/market': { required: marketOrder },
  '/api/v4/order/stop_limit': {},
  '/api/v4/order/stop_market': { required: stopMarketOrder },
  '/api/v4/order/collateral/limit': { required: [...marketOrder, 'price'] },
  '/api/v4/order/collateral/bulk': {},
  '/api/v4/order/collateral/market': { required: marketOrder },
  '/api/v4/order/collateral/stop-limit': { required: [...marketOrder, 'price', 'activation_price'] },
  '/api/v4/order/collateral/trigger-market': { required: stopMarketOrder },
  '/api/v4/order/collateral/oco': { required: [...marketOrder, 'price', 'activation_price', 'stop_limit_price'] },
  '/api/v4/order/modify': {},
  '/api/v4/order/cancel': {},
  '/api/v4/order/cancel/all': {},
  '/api/v4/order/cancel/bulk': {},
  '/api/v4/order/conditional-cancel': { required: ['market', 'id'] },
  '/api/v4/order/oco-cancel': {},
  '/api/v4/order/oto-cancel': { required: ['market', 'otoId'] },
  '/api/v4/order/kill-switch': {},
  '/api/v4/order/kill-switch/status': {},
  '/api/v4/orders': { requests: 12_000, fields: page(100, 50, maxOffset) },
  '/api/v4/oco-orders': { requests: 12_000, fields: page(100, 50, maxOffset) },
  '/api/v4/conditional-orders': { requests: 12_000, fields: page(100, 100, maxOffset) },
  '/api/v4/trade-account/balance': { requests: 12_000 },
  '/api/v4/trade-account/executed-history': { requests: 12_000, fields: page(500, 50) },
  '/api/v4/trade-account/order': { requests: 12_000, fields: page(Number.MAX_SAFE_INTEGER, 50) },
  '/api/v4/trade-account/order/history': { requests: 12_000, fields: page(500, 50) },
  '/api/v4/trade-account/order/history/query': { fields: page(500, 500, 9999) },
  '/api/v4/market/fee': {},
  '/api/v4/collateral-account/leverage': {
    requests: 1000,
    required: ['leverage'],
    fields: { leverage: { minimum: 1, maximum: 100 } },
  },
  '/api/v4/collateral-account/balance': { requests: 12_000 },
  '/api/v4/collateral-account/balance-summary': { requests: 12_000 },
  '/api/v4/collateral-account/summary': { requests: 12_000 },
  '/api/v4/collateral-account/hedge-mode': { requests: 12_000 },
  '/api/v4/collateral-account/hedge-mode/update': { requests: 1000, required: ['hedgeMode'] },
  '/api/v4/collateral-account/positions/open': { requests: 12_000 },
  '/api/v4/collateral-account/position/close': { required: ['positionId', 'market'] },
  // Live: the published description of the history lacks the page, and that of the payments its range.
  '/api/v4/collateral-account/positions/history': { requests: 12_000, fields: page(100, 50) },
  '/api/v4/collateral-account/funding-history': { requests: 12_000, fields: page(100) },
  '/api/v4/collateral-account/positions/closed-pnl': { requests: 12_000, fields: page(100, 50) },
  '/api/v4/collateral-account/adl-quantile': { requests: 12_000 },
  '/api/v4/main-account/balance': { requests: 1000, fields: { ticker: { maxLength: 255 } } },
  '/api/v4/sub-account/list': { requests: 1000, fields: { search: { maxLength: 255 }, ...page(100, 30, 10_000) } },
  '/api/v4/mining/accounts': { requests: 1000, fields: { name: { maxLength: 255 }, ...page(100, 30, 10_000) } },
  '/oauth2/refresh_token': { requests: 1, perSeconds: 1, required: ['client_id', 'client_secret', 'token'] },
  '/api/v4/profile/websocket_token': { requests: 10, perSeconds: 60 },
} as const satisfies Readonly<Record<string, Terms>>;

export type PublishedPath = keyof typeof endpoints;

const termsByPath: ReadonlyMap<string, Terms> = new Map(Object.entries(endpoints));

/** The published fields of an endpoint; none of a route that is not published. */
export function publishedFields(path: string): Required<Pick<Terms, 'fields' | 'required'>> {
  const { fields = {}, required = [] } = termsByPath.get(path) ?? {};
  return { fields, required };
}

/** Public endpoints are read with GET, and private ones with POST. */
export function publishedMethod(path: PublishedPath): 'GET' | 'POST' {
  return path.includes('/public/') ? 'GET' : 'POST';
}

export function publishedLimit(path: string): { readonly limit: number; readonly windowMs: number } {
  const { requests = 10_000, perSeconds = 10 } = termsByPath.get(path) ?? {};
  return { limit: requests, windowMs: perSeconds * 1000 };
}
