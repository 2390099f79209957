import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { isRecord } from '../../model/map.js';
import * as t from '../../model/tolerant.js';
import { publicRateLimits } from '../rate-limits.js';

const states = ['system operational', 'system maintenance'] as const;

const fields = {
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
export interface PlatformStatus extends t.RecordOf<typeof fields> {}

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
    t.record(fields),
  ),
});
