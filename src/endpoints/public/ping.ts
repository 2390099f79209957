import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { publicRateLimits } from './rate-limit.js';

/** `["pong"]`: the API is operational. */
export type Pong = ['pong'];

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
 * exchange.public.ping().subscribe(([pong]) => console.log(pong));
 * ```
 */
export const ping: Endpoint<NoParams, Pong> = defineEndpoint({
  name: 'public.ping',
  method: 'GET',
  path: '/api/v4/public/ping',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: v.strictTuple([v.literal('pong')]),
});
