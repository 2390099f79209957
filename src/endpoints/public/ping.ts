import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { publicRateLimits } from '../rate-limits.js';

/** `["pong"]`: the API is operational. */
export type Pong = ['pong'];

/**
 * Checks whether the API is operational. Emits `["pong"]`. {@link watchHealth} derives health states from it.
 *
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
