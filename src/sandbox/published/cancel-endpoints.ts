// The endpoints that cancel orders, those of OCO orders, and of delisted orders, as the exchange publishes them: the
// sandbox's own copy, without the fields of the responses.
import type { PublishedEndpoint } from './published-endpoint.js';

export const cancelEndpoints = {
  '/api/v4/order/collateral/oco': {
    method: 'POST',
    limit: { requests: 10000, perSeconds: 10 },
    statuses: ['200', '400', '422', '503'],
    fields: {
      market: { type: 'string' },
      side: { type: 'string', enum: ['buy', 'sell'] },
      amount: { type: 'string' },
      price: { type: 'string' },
      activation_price: { type: 'string' },
      stop_limit_price: { type: 'string' },
      clientOrderId: { type: 'string' },
      reduceOnly: { type: 'boolean', default: false },
      positionSide: { type: 'string', enum: ['LONG', 'SHORT', 'BOTH'] },
      stp: { type: 'string', enum: ['no', 'cb', 'cn', 'co'], default: 'no' },
    },
    required: ['market', 'side', 'amount', 'price', 'activation_price', 'stop_limit_price'],
  },
  '/api/v4/oco-orders': {
    method: 'POST',
    limit: { requests: 12000, perSeconds: 10 },
    statuses: ['200', '400', '422', '503'],
    fields: {
      market: { type: 'string' },
      offset: { type: 'integer', minimum: 0, maximum: 4294967295, default: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    },
    required: [],
  },
  '/api/v4/order/conditional-cancel': {
    method: 'POST',
    limit: { requests: 10000, perSeconds: 10 },
    statuses: ['200', '400', '422', '503'],
    fields: { market: { type: 'string' }, id: { type: 'integer' } },
    required: ['market', 'id'],
  },
  '/api/v4/order/oco-cancel': {
    method: 'POST',
    limit: { requests: 10000, perSeconds: 10 },
    statuses: ['200', '400', '422', '503'],
    fields: { market: { type: 'string' }, orderId: { type: 'integer' }, clientOrderId: { type: 'string' } },
    required: ['market'],
  },
  '/api/v4/order/oto-cancel': {
    method: 'POST',
    limit: { requests: 10000, perSeconds: 10 },
    statuses: ['200', '400', '422', '503'],
    fields: { market: { type: 'string' }, otoId: { type: 'integer' } },
    required: ['market', 'otoId'],
  },
  '/api/v4/order/cancel/all': {
    method: 'POST',
    limit: { requests: 10000, perSeconds: 10 },
    statuses: ['200', '400', '422', '503'],
    fields: {
      market: { type: 'string' },
      type: { type: 'array', items: { type: 'string', enum: ['spot', 'margin', 'futures'] } },
      positionSide: { type: 'string', enum: ['both', 'long', 'short'] },
    },
    required: [],
  },
  '/api/v4/order/cancel/bulk': {
    method: 'POST',
    limit: { requests: 10000, perSeconds: 10 },
    statuses: ['200', '400', '422', '503'],
    fields: {
      orders: {
        type: 'array',
        items: {
          type: 'object',
          fields: { market: { type: 'string' }, orderId: { type: 'integer' }, clientOrderId: { type: 'string' } },
          required: ['market'],
        },
      },
    },
    required: ['orders'],
  },
  '/api/v4/order/kill-switch/status': {
    method: 'POST',
    limit: { requests: 10000, perSeconds: 10 },
    statuses: ['200', '400', '422'],
    fields: { market: { type: 'string' } },
    required: [],
  },
  '/api/v4/trade-account/order/history/query': {
    method: 'POST',
    limit: { requests: 10000, perSeconds: 10 },
    statuses: ['200', '400', '422', '503'],
    fields: {
      market: { type: 'string' },
      status: { type: 'string', enum: ['filled', 'delisting'] },
      startDate: { type: 'integer' },
      endDate: { type: 'integer' },
      offset: { type: 'integer', minimum: 0, maximum: 9999, default: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 500, default: 500 },
    },
    required: [],
  },
} as const satisfies Readonly<Record<string, PublishedEndpoint>>;
