// The metrics of a client, as data: their names, labels and units are stable. docs/operations.md lists them.

/** A metric: what it counts, and the labels of its values. */
export interface Metric {
  /** `counter` only increases. `gauge` is a state. `histogram` counts durations in seconds, by buckets. */
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/**
 * Upper bounds of the buckets of every histogram, seconds: from a fast response to the window of a rate limit.
 *
 * @example
 * ```ts
 * import { buckets } from 'exchange-rx/metrics';
 *
 * console.log(buckets.at(-1)); // 60
 * ```
 */
export const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

const counter = (help: string, ...labels: readonly string[]): Metric => ({ kind: 'counter', help, labels });
const gauge = (help: string, ...labels: readonly string[]): Metric => ({ kind: 'gauge', help, labels });
const histogram = (help: string, ...labels: readonly string[]): Metric => ({ kind: 'histogram', help, labels });

/** Every metric by name. */
export const metrics = {
  exchange_orders_total: counter(
    'Order calls that ended: outcome is placed, rejected, not-executed or unknown.',
    ...['endpoint', 'outcome'],
  ),
  exchange_order_seconds: histogram(
    'From the subscription to an order to its end, with lookups and retries.',
    'endpoint',
  ),
  exchange_orders_in_doubt: gauge('Orders whose outcome is unknown now.'),
  exchange_order_lookups_total: counter('Steps of the lookups of orders whose response was lost.', 'progress'),
  exchange_order_lookup_seconds: histogram('From the loss of a response to the end of the lookup.', 'progress'),
  exchange_movements_total: counter('Steps of the lookups of movements of money.', 'endpoint', 'progress'),
  exchange_calls_total: counter('Calls that ended: result is ok, error or canceled.', 'endpoint', 'result', 'kind'),
  exchange_request_seconds: histogram('From sending a request to the end of its response.', 'endpoint', 'result'),
  exchange_permit_wait_seconds: histogram('Waits of a millisecond and more for a permit.', 'rate_limit'),
  exchange_retries_total: counter('Requests that are retried, by the kind of the error.', 'endpoint', 'kind'),
  exchange_unreadable_records_total: counter('Records of responses that could not be read.', 'endpoint'),
  exchange_limit_used_ratio: gauge('Permits in use, as a share of the rate limit.', 'rate_limit'),
  exchange_limit_queued: gauge('Requests that wait for a permit.', 'rate_limit'),
  exchange_cool_downs_total: counter('Responses with status 429: another program uses this address.', 'rate_limit'),
  exchange_live_connected: gauge('1: the live connection is open. 0: its streams are stale.', 'connection'),
  exchange_live_losses_total: counter('Live connections that were lost or refused.', 'connection', 'reason'),
  exchange_live_reconnections_total: counter('Live connections that replaced a lost one.', 'connection'),
  exchange_live_streams_stale: gauge('Subscriptions of live channels that are stale now.', 'channel'),
  exchange_live_gaps_total: counter(
    'Gaps of live streams; filled: the missing items were read.',
    'channel',
    'reason',
    'filled',
  ),
} as const satisfies Readonly<Record<string, Metric>>;

/** The name of a metric. */
export type MetricName = keyof typeof metrics;
