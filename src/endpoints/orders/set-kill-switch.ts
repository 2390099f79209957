import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { namedSchema } from '../../model/map.js';
import { optional, optionalNumber, optionalText, record } from '../../model/tolerant.js';
import { marketName } from '../fields.js';

const range = 'must be an integer from 5 to 600 seconds, or null';

const request = v.strictObject({
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** After how many seconds the market's orders are canceled, 5 to 600; `null` takes the switch away. */
  timeout: v.nullable(
    v.pipe(v.number(range), v.integer(range), v.minValue(5, range), v.maxValue(600, range), v.transform(String)),
  ),
});

// A removal is answered with an empty list, which is an object without fields here.
const response = v.pipe(
  namedSchema,
  record({
    /** The pair, `BASE_QUOTE`. */
    market: optionalText,
    /** When the switch was set, Unix seconds. */
    startTime: optionalNumber,
    /** When it cancels the market's orders unless it is set again, Unix seconds. */
    cancellationTime: optionalNumber,
    /** The kinds of orders that it cancels, such as `spot`, `margin` and `futures`; left out: all. */
    types: optional(v.array(v.string())),
  }),
);

/** Parameters of {@link setKillSwitch}. */
export interface SetKillSwitchParams extends v.InferInput<typeof request> {}

/** A kill switch that was set; without fields when it was taken away. Fields that are not known are kept. */
export interface KillSwitch extends v.InferOutput<typeof response> {}

/**
 * Sets a kill switch: the exchange cancels your open orders of the market unless this is sent again in time. For a bot
 * that may die, or be cut off, with orders in the book.
 *
 * Errors: those of every call, see {@link AnyExchangeError}.
 *
 * `POST /api/v4/order/kill-switch` · private · limit group `killSwitch`, 10000 requests / 10 s · priority `urgent`
 *
 * @example
 * ```ts
 * import { createExchange, poll } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const { spot } = createExchange(createSandbox().clientOptions());
 * const heartbeat$ = orders.setKillSwitch({ market: 'BTC_USDT', timeout: 10 }, { callTimeoutMs: 2000 }).pipe(poll({ everyMs: 3000 }));
 * const heartbeat = heartbeat$.subscribe({ error: (error: unknown) => console.error('unprotected: stop quoting', error) });
 * heartbeat.unsubscribe(); // ten seconds after the last one, the orders are canceled
 * ```
 */
export const setKillSwitch: Endpoint<SetKillSwitchParams, KillSwitch> = defineEndpoint({
  name: 'orders.setKillSwitch',
  method: 'POST',
  path: '/api/v4/order/kill-switch',
  rateLimit: { limit: 10_000, windowMs: 10_000 },
  authentication: 'signed',
  safety: 'idempotent',
  priority: 'urgent',
  key: ({ market }) => market,
  request,
  response,
  matchesRequest: ({ market }, answer) => answer.market === undefined || answer.market === market,
});
