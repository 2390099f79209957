import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type WireFields } from '../../endpoint/index.js';
import { isRecord, namedSchema } from '../../model/map.js';
import * as t from '../../model/tolerant.js';
import { agreesOn, everyAgreesOn } from '../agrees-on.js';
import { marketName, orderKindList, type ParamsOf } from '../fields.js';

/**
 * The readable texts of a list, or of the values of an object. Types that cannot be read make the record unreadable,
 * because a record without types covers all types.
 */
const typesSchema: v.GenericSchema<unknown, string[]> = v.pipe(
  v.unknown(),
  v.transform((types) => (isRecord(types) ? Object.values(types) : types)),
  v.array(v.unknown(), 'must be a list of types'),
  v.transform((types) => ({ types, readable: types.filter((type) => typeof type === 'string') })),
  v.check(({ types, readable }) => types.length === 0 || readable.length > 0, 'must have a readable type'),
  v.transform(({ readable }) => readable),
);

const timerFields = {
  /** Time at which the kill switch was set, Unix seconds. */
  startTime: t.optionalNumber,
  /** Time at which it cancels the orders of the market unless it is set again, Unix seconds. */
  cancellationTime: t.optionalNumber,
  /** Types of orders that it cancels, such as `spot`, `margin` and `futures`. Absent: all types. */
  types: t.ifPresent(typesSchema),
};

const killSwitchFields = {
  /** The pair, `BASE_QUOTE`. */
  market: t.optionalText,
  ...timerFields,
};

const activeFields = {
  /** The pair, `BASE_QUOTE`. */
  market: t.string,
  ...timerFields,
};

/** A kill switch; without fields after its removal. Unknown fields are kept. */
export interface KillSwitch extends t.RecordOf<typeof killSwitchFields> {}

/** A kill switch that is set. Unknown fields are kept. */
export interface ActiveKillSwitch extends t.RecordOf<typeof activeFields> {}

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
  response: t.listOf(t.record(activeFields)),
  matchesRequest: everyAgreesOn('market'),
});

const range = 'must be an integer from 5 to 600 seconds, or null';

const setParams = {
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
export interface SetKillSwitchParams extends ParamsOf<typeof setParams> {}

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
  request: v.strictObject(setParams),
  // The response to a removal is an empty list.
  response: v.pipe(namedSchema, t.record(killSwitchFields)),
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
