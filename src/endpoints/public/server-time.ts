import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../define-endpoint.js';
import { number, record } from '../../model/tolerant.js';
import { publicRateLimit } from './rate-limit.js';

const response = record({
  /** The exchange's clock, Unix seconds. */
  time: number,
});

/** The exchange's clock. */
export interface ServerTime extends v.InferOutput<typeof response> {}

/**
 * Reads the exchange's clock, which nonces must agree with to ±5 s.
 *
 * Errors: those of every call, see {@link AnyExchangeError}.
 *
 * `GET /api/v4/public/time` · public · limit group `public`, 2000 requests / 10 s · repeated after 503
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.public.serverTime().subscribe(({ time }) => console.log(new Date(time * 1000)));
 * ```
 */
export const serverTime: Endpoint<NoParams, ServerTime> = defineEndpoint({
  name: 'public.serverTime',
  method: 'GET',
  path: '/api/v4/public/time',
  rateLimit: publicRateLimit,
  authentication: 'none',
  safety: 'read',
  request: v.strictObject({}),
  response,
  exchangeTime: ({ time }) => time,
});
