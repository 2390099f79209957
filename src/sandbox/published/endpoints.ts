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
  /** The fields of each item of a list. */
  readonly items?: Partial<Pick<PublishedEndpoint, 'fields' | 'required'>>;
}

/** An endpoint. The name of a parameter of its path stands in braces: `/orderbook/{market}`. */
export interface PublishedEndpoint {
  readonly method: 'GET' | 'POST';
  /** Default: 10000 requests / 10 s. */
  readonly limit?: { readonly requests: number; readonly perSeconds: number };
  /** The fields of the query or of the body, by their names on the wire. */
  readonly fields: Readonly<Record<string, PublishedField>>;
  /** The names of the required fields. */
  readonly required: readonly string[];
}

const publicEndpoints = {
  '/api/v1/public/kline': {
    method: 'GET',
    limit: { requests: 1000, perSeconds: 10 },
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
    required: ['market'],
  },
  '/api/v1/public/ticker': {
    method: 'GET',
    limit: { requests: 1000, perSeconds: 10 },
    fields: { market: { type: 'string' } },
    required: ['market'],
  },
  '/api/v4/public/platform/status': { method: 'GET', fields: {}, required: [] },
  '/api/v4/public/markets': { method: 'GET', limit: { requests: 2000, perSeconds: 10 }, fields: {}, required: [] },
  '/api/v4/public/ticker': { method: 'GET', limit: { requests: 2000, perSeconds: 10 }, fields: {}, required: [] },
  '/api/v4/public/assets': { method: 'GET', limit: { requests: 2000, perSeconds: 10 }, fields: {}, required: [] },
  '/api/v4/public/orderbook/{market}': {
    method: 'GET',
    limit: { requests: 600, perSeconds: 10 },
    fields: {
      limit: { type: 'integer', minimum: 0, maximum: 100, default: 100 },
      level: { type: 'integer', minimum: 0, maximum: 10, default: 0 },
    },
    required: [],
  },
  '/api/v4/public/orderbook/depth/{market}': {
    method: 'GET',
    limit: { requests: 2000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/public/trades/{market}': {
    method: 'GET',
    limit: { requests: 2000, perSeconds: 10 },
    fields: { type: { type: 'string', enum: ['buy', 'sell'] } },
    required: [],
  },
  '/api/v4/public/fee': { method: 'GET', limit: { requests: 2000, perSeconds: 10 }, fields: {}, required: [] },
  '/api/v4/public/time': { method: 'GET', limit: { requests: 2000, perSeconds: 10 }, fields: {}, required: [] },
  '/api/v4/public/ping': { method: 'GET', limit: { requests: 2000, perSeconds: 10 }, fields: {}, required: [] },
  '/api/v4/public/collateral/markets': {
    method: 'GET',
    limit: { requests: 2000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/public/futures': { method: 'GET', limit: { requests: 2000, perSeconds: 10 }, fields: {}, required: [] },
  '/api/v4/public/funding-history/{market}': {
    method: 'GET',
    limit: { requests: 2000, perSeconds: 10 },
    fields: {
      startDate: { type: 'integer', minimum: 0 },
      endDate: { type: 'integer', minimum: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
      offset: { type: 'integer', minimum: 0, maximum: 1000000, default: 0 },
    },
    required: [],
  },
  '/api/v4/public/mining-pool': { method: 'GET', limit: { requests: 1000, perSeconds: 10 }, fields: {}, required: [] },
} as const satisfies Readonly<Record<string, PublishedEndpoint>>;

/** Routes read the fields of a body by their own rules: only bounds, defaults and items are listed. */
const accountEndpoints = {
  '/api/v4/order/new': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount'],
  },
  '/api/v4/order/bulk': {
    method: 'POST',
    fields: {
      orders: {
        items: {
          fields: {},
          required: ['market', 'side', 'amount'],
        },
      },
    },
    required: ['orders'],
  },
  '/api/v4/order/stock_market': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount'],
  },
  '/api/v4/order/market': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount'],
  },
  '/api/v4/order/collateral/limit': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount', 'price'],
  },
  '/api/v4/order/collateral/bulk': {
    method: 'POST',
    fields: {
      orders: {
        items: {
          fields: {},
        },
      },
    },
    required: [],
  },
  '/api/v4/order/cancel': { method: 'POST', fields: {}, required: ['market'] },
  '/api/v4/order/modify': { method: 'POST', fields: {}, required: ['market'] },
  '/api/v4/order/kill-switch': { method: 'POST', fields: {}, required: ['market', 'timeout'] },
  '/api/v4/orders': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {
      offset: { minimum: 0, maximum: 4294967295, default: 0 },
      limit: { minimum: 1, maximum: 100, default: 50 },
    },
    required: [],
  },
  '/api/v4/trade-account/order/history': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {
      offset: { minimum: 0, default: 0 },
      limit: { minimum: 1, maximum: 500, default: 50 },
    },
    required: [],
  },
  '/api/v4/conditional-orders': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {
      offset: { minimum: 0, maximum: 4294967295, default: 0 },
      limit: { minimum: 1, maximum: 100, default: 100 },
    },
    required: [],
  },
  '/api/v4/collateral-account/leverage': {
    method: 'POST',
    limit: { requests: 1000, perSeconds: 10 },
    fields: { leverage: { minimum: 1, maximum: 100 } },
    required: ['leverage'],
  },
  '/api/v4/main-account/balance': {
    method: 'POST',
    limit: { requests: 1000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/sub-account/list': {
    method: 'POST',
    limit: { requests: 1000, perSeconds: 10 },
    fields: { limit: { minimum: 1, maximum: 100, default: 30 }, offset: { minimum: 0, maximum: 10000, default: 0 } },
    required: [],
  },
  '/api/v4/mining/accounts': {
    method: 'POST',
    limit: { requests: 1000, perSeconds: 10 },
    fields: { name: { maxLength: 255 } },
    required: [],
  },
  '/api/v4/trade-account/balance': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/collateral-account/balance': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/collateral-account/balance-summary': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/collateral-account/summary': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/market/fee': { method: 'POST', fields: {}, required: [] },
  '/api/v4/trade-account/executed-history': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: { offset: { default: 0 }, limit: { minimum: 1, maximum: 500, default: 50 } },
    required: [],
  },
  '/api/v4/trade-account/order': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: { offset: { minimum: 0, default: 0 }, limit: { minimum: 1, default: 50 } },
    required: ['orderId'],
  },
  '/api/v4/collateral-account/positions/open': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/collateral-account/hedge-mode': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/oauth2/refresh_token': {
    method: 'POST',
    limit: { requests: 1, perSeconds: 1 },
    fields: {},
    required: ['client_id', 'client_secret', 'token'],
  },
  '/api/v4/order/stop_limit': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount', 'activation_price'],
  },
  '/api/v4/order/stop_market': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount', 'activation_price'],
  },
  '/api/v4/order/collateral/market': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount'],
  },
  '/api/v4/order/collateral/stop-limit': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount', 'price', 'activation_price'],
  },
  '/api/v4/order/collateral/trigger-market': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount', 'activation_price'],
  },
  '/api/v4/collateral-account/position/close': { method: 'POST', fields: {}, required: ['positionId', 'market'] },
  '/api/v4/collateral-account/positions/history': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/collateral-account/positions/closed-pnl': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: { limit: { minimum: 1, maximum: 100, default: 50 }, offset: { minimum: 0, default: 0 } },
    required: [],
  },
  '/api/v4/collateral-account/funding-history': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: { limit: { default: 100 }, offset: { default: 0 } },
    required: [],
  },
  '/api/v4/collateral-account/hedge-mode/update': {
    method: 'POST',
    limit: { requests: 1000, perSeconds: 10 },
    fields: {},
    required: ['hedgeMode'],
  },
  '/api/v4/collateral-account/adl-quantile': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {},
    required: [],
  },
  '/api/v4/profile/websocket_token': {
    method: 'POST',
    limit: { requests: 10, perSeconds: 60 },
    fields: {},
    required: [],
  },
  '/api/v4/order/collateral/oco': {
    method: 'POST',
    fields: {},
    required: ['market', 'side', 'amount', 'price', 'activation_price', 'stop_limit_price'],
  },
  '/api/v4/oco-orders': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    fields: {
      offset: { minimum: 0, maximum: 4294967295, default: 0 },
      limit: { minimum: 1, maximum: 100, default: 50 },
    },
    required: [],
  },
  '/api/v4/order/conditional-cancel': { method: 'POST', fields: {}, required: ['market', 'id'] },
  '/api/v4/order/oco-cancel': { method: 'POST', fields: {}, required: ['market'] },
  '/api/v4/order/oto-cancel': { method: 'POST', fields: {}, required: ['market', 'otoId'] },
  '/api/v4/order/cancel/all': { method: 'POST', fields: {}, required: [] },
  '/api/v4/order/cancel/bulk': {
    method: 'POST',
    fields: { orders: { items: { required: ['market'] } } },
    required: ['orders'],
  },
  '/api/v4/order/kill-switch/status': { method: 'POST', fields: {}, required: [] },
  '/api/v4/trade-account/order/history/query': {
    method: 'POST',
    fields: { offset: { minimum: 0, maximum: 9999, default: 0 }, limit: { minimum: 1, maximum: 500, default: 500 } },
    required: [],
  },
} as const satisfies Readonly<Record<string, PublishedEndpoint>>;

export const endpoints = { ...publicEndpoints, ...accountEndpoints };
