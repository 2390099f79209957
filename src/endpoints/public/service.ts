// Whether the exchange is operational, and its clock.
import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { isRecord } from '../../model/map.js';
import * as t from '../../model/tolerant.js';
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

const states = ['system operational', 'system maintenance'] as const;

const statusFields = {
  /** `system operational` or `system maintenance`. */
  status: v.pipe(
    t.oneOf(states),
    v.transform((status) => stateOfDigit.get(status) ?? status),
  ),
};

/** Older descriptions of the interface have a digit. */
const stateOfDigit: ReadonlyMap<string, (typeof states)[number]> = new Map([
  ['0', 'system maintenance'],
  ['1', 'system operational'],
]);

/** Whether the exchange is operational. Unknown fields are kept. */
export interface PlatformStatus extends t.RecordOf<typeof statusFields> {}

/**
 * Reads whether the exchange is operational or in maintenance. During maintenance, calls may end with
 * {@link UnavailableError} instead. {@link watchHealth} watches the health of the API.
 *
 * @example
 * ```ts
 * exchange.public.platformStatus().subscribe(({ status }) => console.log(status));
 * ```
 */
export const platformStatus: Endpoint<NoParams, PlatformStatus> = defineEndpoint({
  name: 'public.platformStatus',
  method: 'GET',
  path: '/api/v4/public/platform/status',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: v.pipe(
    v.unknown(),
    // The status may stand alone.
    v.transform((body) => (isRecord(body) ? body : { status: body })),
    t.record(statusFields),
  ),
});
