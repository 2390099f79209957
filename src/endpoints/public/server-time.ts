import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { publicRateLimits } from '../rate-limits.js';

const fields = {
  /** Time of the exchange's clock, Unix seconds. */
  time: v.pipe(
    t.number,
    // The live exchange was seen to send milliseconds.
    v.transform((time) => (isMilliseconds(time) ? time / 1000 : time)),
  ),
};

/** Milliseconds of the years 2001 to 2096. As seconds, none of these times is near. */
function isMilliseconds(time: number): boolean {
  return time > 1e12 && time < 4e12;
}

/** The exchange's clock. Unknown fields are kept. */
export interface ServerTime extends t.RecordOf<typeof fields> {}

/**
 * Reads the exchange's clock. Nonces must be within 5 s of it; a client learns the clock from responses by itself.
 *
 * @example
 * ```ts
 * exchange.public.serverTime().subscribe(({ time }) => console.log(new Date(time * 1000)));
 * ```
 */
export const serverTime: Endpoint<NoParams, ServerTime> = defineEndpoint({
  name: 'public.serverTime',
  method: 'GET',
  path: '/api/v4/public/time',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: t.record(fields),
  exchangeTime: ({ time }) => time,
});
