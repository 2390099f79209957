// The endpoints that the exchange publishes: the sandbox's own copy of what the sandbox decides by.

/** A field of a query or a body. */
export interface PublishedField {
  /** Of a field of a query. */
  readonly type?: 'string' | 'integer' | 'boolean';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: string | number | boolean;
}

/** What is published of an endpoint. */
interface Terms {
  /** Default: 10000 requests / 10 s. */
  readonly requests?: number;
  readonly perSeconds?: number;
  /** The fields of the query, or the bounds and defaults of the body, by their names on the wire. */
  readonly fields?: Readonly<Record<string, PublishedField>>;
  /** The names of the required fields, where no rule of the route's own says more. */
  readonly required?: readonly string[];
}

/** An endpoint. The name of a parameter of its path stands in braces: `/orderbook/{market}`. */
export interface PublishedEndpoint extends Required<Terms> {
  readonly method: 'GET' | 'POST';
}

const get = (terms: Terms = {}) => endpoint('GET', terms);
const post = (terms: Terms = {}) => endpoint('POST', terms);
const maxOffset = 4_294_967_295;

export const endpoints = {
  '/api/v1/public/kline': get({
    requests: 1000,
    required: ['market'],
    fields: {
      market: { type: 'string', default: 'BTC_USDT' },
      start: { type: 'integer' },
      end: { type: 'integer' },
      interval: {
        type: 'string',
        enum: [
          '1s',
          '10s',
          '30s',
          '1m',
          '3m',
          '5m',
          '15m',
          '30m',
          '1h',
          '2h',
          '4h',
          '6h',
          '8h',
          '12h',
          '1d',
          '3d',
          '1w',
          '1M',
        ],
        default: '1h',
      },
      limit: { type: 'integer', minimum: 1, maximum: 1440, default: 1440 },
    },
  }),
  '/api/v1/public/ticker': get({ requests: 1000, required: ['market'], fields: { market: { type: 'string' } } }),
  '/api/v4/public/platform/status': get(),
  '/api/v4/public/markets': get({ requests: 2000 }),
  '/api/v4/public/ticker': get({ requests: 2000 }),
  '/api/v4/public/assets': get({ requests: 2000 }),
  '/api/v4/public/orderbook/{market}': get({
    requests: 600,
    fields: {
      limit: { type: 'integer', minimum: 0, maximum: 100, default: 100 },
      level: { type: 'integer', minimum: 0, maximum: 10, default: 0 },
    },
  }),
  '/api/v4/public/orderbook/depth/{market}': get({ requests: 2000 }),
  '/api/v4/public/trades/{market}': get({
    requests: 2000,
    fields: { type: { type: 'string', enum: ['buy', 'sell'] } },
  }),
  '/api/v4/public/fee': get({ requests: 2000 }),
  '/api/v4/public/time': get({ requests: 2000 }),
  '/api/v4/public/ping': get({ requests: 2000 }),
  '/api/v4/public/collateral/markets': get({ requests: 2000 }),
  '/api/v4/public/futures': get({ requests: 2000 }),
  '/api/v4/public/funding-history/{market}': get({
    requests: 2000,
    fields: {
      startDate: { type: 'integer', minimum: 0 },
      endDate: { type: 'integer', minimum: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
    },
  }),
  '/api/v4/public/mining-pool': get({ requests: 1000 }),
  '/api/v4/order/new': post(),
  '/api/v4/order/bulk': post(),
  '/api/v4/order/stock_market': post({ required: ['market', 'side', 'amount'] }),
  '/api/v4/order/market': post({ required: ['market', 'side', 'amount'] }),
  '/api/v4/order/collateral/limit': post({ required: ['market', 'side', 'amount', 'price'] }),
  '/api/v4/order/collateral/bulk': post(),
  '/api/v4/order/cancel': post(),
  '/api/v4/order/modify': post(),
  '/api/v4/order/kill-switch': post(),
  '/api/v4/orders': post({
    requests: 12_000,
    fields: {
      offset: { minimum: 0, maximum: maxOffset, default: 0 },
      limit: { minimum: 1, maximum: 100, default: 50 },
    },
  }),
  '/api/v4/trade-account/order/history': post({
    requests: 12_000,
    fields: { offset: { minimum: 0, default: 0 }, limit: { minimum: 1, maximum: 500, default: 50 } },
  }),
  '/api/v4/conditional-orders': post({
    requests: 12_000,
    fields: {
      offset: { minimum: 0, maximum: maxOffset, default: 0 },
      limit: { minimum: 1, maximum: 100, default: 100 },
    },
  }),
  '/api/v4/collateral-account/leverage': post({
    requests: 1000,
    required: ['leverage'],
    fields: { leverage: { minimum: 1, maximum: 100 } },
  }),
  '/api/v4/main-account/balance': post({ requests: 1000 }),
  '/api/v4/sub-account/list': post({
    requests: 1000,
    fields: { limit: { minimum: 1, maximum: 100, default: 30 }, offset: { minimum: 0, maximum: 10_000, default: 0 } },
  }),
  '/api/v4/mining/accounts': post({ requests: 1000, fields: { name: { maxLength: 255 } } }),
  '/api/v4/trade-account/balance': post({ requests: 12_000 }),
  '/api/v4/collateral-account/balance': post({ requests: 12_000 }),
  '/api/v4/collateral-account/balance-summary': post({ requests: 12_000 }),
  '/api/v4/collateral-account/summary': post({ requests: 12_000 }),
  '/api/v4/market/fee': post(),
  '/api/v4/trade-account/executed-history': post({
    requests: 12_000,
    fields: { offset: { default: 0 }, limit: { minimum: 1, maximum: 500, default: 50 } },
  }),
  '/api/v4/trade-account/order': post({
    requests: 12_000,
    fields: { offset: { minimum: 0, default: 0 }, limit: { minimum: 1, default: 50 } },
  }),
  '/api/v4/collateral-account/positions/open': post({ requests: 12_000 }),
  '/api/v4/collateral-account/hedge-mode': post({ requests: 12_000 }),
  '/oauth2/refresh_token': post({ requests: 1, perSeconds: 1, required: ['client_id', 'client_secret', 'token'] }),
  '/api/v4/order/stop_limit': post(),
  '/api/v4/order/stop_market': post({ required: ['market', 'side', 'amount', 'activation_price'] }),
  '/api/v4/order/collateral/market': post({ required: ['market', 'side', 'amount'] }),
  '/api/v4/order/collateral/stop-limit': post({ required: ['market', 'side', 'amount', 'price', 'activation_price'] }),
  '/api/v4/order/collateral/trigger-market': post({ required: ['market', 'side', 'amount', 'activation_price'] }),
  '/api/v4/collateral-account/position/close': post({ required: ['positionId', 'market'] }),
  '/api/v4/collateral-account/positions/history': post({ requests: 12_000 }),
  '/api/v4/collateral-account/positions/closed-pnl': post({
    requests: 12_000,
    fields: { limit: { minimum: 1, maximum: 100, default: 50 }, offset: { minimum: 0, default: 0 } },
  }),
  '/api/v4/collateral-account/funding-history': post({
    requests: 12_000,
    fields: { limit: { default: 100 }, offset: { default: 0 } },
  }),
  '/api/v4/collateral-account/hedge-mode/update': post({ requests: 1000, required: ['hedgeMode'] }),
  '/api/v4/collateral-account/adl-quantile': post({ requests: 12_000 }),
  '/api/v4/profile/websocket_token': post({ requests: 10, perSeconds: 60 }),
  '/api/v4/order/collateral/oco': post({
    required: ['market', 'side', 'amount', 'price', 'activation_price', 'stop_limit_price'],
  }),
  '/api/v4/oco-orders': post({
    requests: 12_000,
    fields: {
      offset: { minimum: 0, maximum: maxOffset, default: 0 },
      limit: { minimum: 1, maximum: 100, default: 50 },
    },
  }),
  '/api/v4/order/conditional-cancel': post({ required: ['market', 'id'] }),
  '/api/v4/order/oco-cancel': post(),
  '/api/v4/order/oto-cancel': post({ required: ['market', 'otoId'] }),
  '/api/v4/order/cancel/all': post(),
  '/api/v4/order/cancel/bulk': post(),
  '/api/v4/order/kill-switch/status': post(),
  '/api/v4/trade-account/order/history/query': post({
    fields: { offset: { minimum: 0, maximum: 9999, default: 0 }, limit: { minimum: 1, maximum: 500, default: 500 } },
  }),
};

function endpoint(
  method: PublishedEndpoint['method'],
  { requests = 10_000, perSeconds = 10, fields = {}, required = [] }: Terms,
): PublishedEndpoint {
  return { method, requests, perSeconds, fields, required };
}
