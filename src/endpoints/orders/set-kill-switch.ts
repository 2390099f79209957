import * as v from 'valibot';
import { agreesOn } from '../agrees-on.js';
import { defineEndpoint, type Endpoint, type WireFields } from '../../endpoint/index.js';
import { killSwitchSchema, type KillSwitch } from './kill-switch.js';
import { namedSchema } from '../../model/map.js';
import { marketName, type ParamsOf } from '../fields.js';
import { orderKindList } from './order-kinds.js';

const range = 'must be an integer from 5 to 600 seconds, or null';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** Seconds until the exchange cancels the orders of the market, 5 to 600. `null` removes the kill switch. */
  timeout: v.nullable(
    v.pipe(v.number(range), v.integer(range), v.minValue(5, range), v.maxValue(600, range), v.transform(String)),
  ),
  /**
   * Kinds of orders to cancel: `spot`, `margin` (collateral orders of a spot market), `futures`.
   *
   * @default all kinds
   */
  types: v.exactOptional(orderKindList),
};

const isOfMarket = agreesOn('market');

/** Parameters of {@link setKillSwitch}. */
export interface SetKillSwitchParams extends ParamsOf<typeof params> {}

export type { KillSwitch } from './kill-switch.js';

/**
 * Sets a kill switch: the exchange cancels your open orders of the market unless the kill switch is set again in time.
 * It protects a bot that crashes, or loses its connection, while orders rest in the book. A response that shows neither
 * market nor time of a kill switch, such as the empty list after a removal, is a {@link ResponseError}.
 *
 * @example
 * ```ts
 * import { poll } from 'exchange-rx';
 *
 * const { orders } = exchange;
 * const heartbeat$ = orders.setKillSwitch({ market: 'BTC_USDT', timeout: 10 }, { callTimeoutMs: 2000 }).pipe(poll({ everyMs: 3000 }));
 * const heartbeat = heartbeat$.subscribe({ error: (error: unknown) => console.error('unprotected: stop quoting', error) });
 * heartbeat.unsubscribe(); // ten seconds after the last request, the exchange cancels the orders
 * ```
 */
export const setKillSwitch: Endpoint<SetKillSwitchParams, KillSwitch> = defineEndpoint({
  name: 'orders.setKillSwitch',
  path: '/api/v4/order/kill-switch',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market }) => market,
  request: v.strictObject(params),
  // The response to a removal is an empty list.
  response: v.pipe(namedSchema, killSwitchSchema),
  matchesRequest: (fields, output) =>
    isOfMarket(fields, output) && isSetAs(fields, output) && hasTypes(fields['types'], output.types),
});

/** Only a kill switch that is set has a market and a time. */
function isSetAs({ timeout }: WireFields, { market, cancellationTime }: KillSwitch): boolean {
  return timeout === null ? cancellationTime === undefined : (market ?? cancellationTime) !== undefined;
}

/** An empty list shows no types. */
function hasTypes(requested: unknown, shown: readonly string[] = []): boolean {
  if (!Array.isArray(requested) || shown.length === 0) return true;
  const types = new Set<unknown>(shown.map((type) => type.toLowerCase()));
  return types.size === new Set(requested).size && requested.every((type: unknown) => types.has(type));
}
