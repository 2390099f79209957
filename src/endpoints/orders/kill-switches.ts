import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { activeKillSwitchSchema, type ActiveKillSwitch } from './kill-switch.js';
import { listOf } from '../../model/tolerant.js';
import { marketName, type ParamsOf } from '../fields.js';

const params = {
  /** Only the kill switch of this market, `BASE_QUOTE`. */
  market: v.exactOptional(marketName),
};

/** Parameters of {@link killSwitches}. */
export interface KillSwitchesParams extends ParamsOf<typeof params> {}

/**
 * Lists the kill switches that are set, one of a market at most. Emits an empty list when none is set. A kill switch
 * without `types` cancels orders of all kinds.
 *
 * @example
 * ```ts
 * exchange.orders.killSwitches().subscribe((list) => {
 *   for (const { market, cancellationTime } of list) console.log(market, 'is canceled at', cancellationTime);
 * });
 * ```
 */
export const killSwitches: Endpoint<KillSwitchesParams, ActiveKillSwitch[]> = defineEndpoint({
  name: 'orders.killSwitches',
  path: '/api/v4/order/kill-switch/status',
  safety: 'read',
  request: v.strictObject(params),
  response: listOf(activeKillSwitchSchema),
  matchesRequest: ({ market }, list) => list.every((one) => market === undefined || one.market === market),
});
