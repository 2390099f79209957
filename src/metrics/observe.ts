// Turns what a client reports into metrics. Every label has few values: endpoints, limits, kinds; no market, no identifier.
import { Subscription } from 'rxjs';
import type { Client, ClientEvent } from '../client/index.js';
import { metrics, type Metric, type MetricName } from './definitions.js';

/** The values of a metric's labels. */
export type Labels = Readonly<Record<string, string>>;

/** Records a value of a metric: of a counter, how much more; of a gauge, the state; of a histogram, seconds. */
export type RecordValue = (value: number, labels: Labels) => void;

/**
 * What stores the values: {@link textMeter}, {@link promMeter}, or `otelMeter` of `exchange-rx/opentelemetry`. It makes a
 * metric of each kind.
 */
export type Meter = Readonly<Record<Metric['kind'], (name: string, metric: Metric) => RecordValue>>;

/** The part of a client that is measured. */
export type MeasuredClient = Pick<Client, 'events$' | 'undecided$' | 'scheduler'>;

/**
 * Records the metrics of a client until it is unsubscribed.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { observeMetrics, textMeter } from 'exchange-rx/metrics';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const meter = textMeter();
 * const exchange = createExchange(createSandbox().clientOptions());
 * observeMetrics(exchange, meter);
 * exchange.public.ping().subscribe(() => console.log(meter.text()));
 * ```
 */
export function observeMetrics(exchange: MeasuredClient, meter: Meter): Subscription {
  const recorders = new Map(Object.entries(metrics).map(([name, metric]) => [name, meter[metric.kind](name, metric)]));
  const record = (name: MetricName, value: number, labels: Labels = {}) => recorders.get(name)?.(value, labels);
  const observer = new EventObserver(record);
  const all = new Subscription();
  all.add(
    exchange.events$.subscribe((event) => {
      observer.observe(event);
    }),
  );
  all.add(
    exchange.undecided$.subscribe((orders) => {
      record('exchange_orders_in_doubt', orders.length);
    }),
  );
  all.add(
    exchange.scheduler.usage$.subscribe((limits) => {
      for (const { rateLimit: rate_limit, used, limit, queued } of limits) {
        record('exchange_limit_used_ratio', used / limit, { rate_limit });
        const waiting = Object.values(queued).reduce((sum, count) => sum + count, 0);
        record('exchange_limit_queued', waiting, { rate_limit });
      }
    }),
  );
  return all;
}

type RecordMetric = (name: MetricName, value: number, labels?: Labels) => void;

class EventObserver {
  /** When the response to the order of each call was lost, by `performance.now()`. */
  readonly #lostAt = new Map<number, number>();
  /** The number of stale subscriptions by channel. */
  readonly #stale = new Map<string, number>();

  constructor(private readonly record: RecordMetric) {}

  observe(event: ClientEvent): void {
    const { record } = this;
    switch (event.type) {
      case 'request':
        return;
      case 'response':
        record('exchange_request_seconds', event.durationMs / 1000, { endpoint: event.endpoint, result: event.result });
        return;
      case 'wait':
        record('exchange_permit_wait_seconds', event.waitedMs / 1000, { rate_limit: event.rateLimit });
        return;
      case 'retry':
        record('exchange_retries_total', 1, { endpoint: event.endpoint, kind: event.kind });
        return;
      case 'unreadable':
        record('exchange_unreadable_records_total', event.count, { endpoint: event.endpoint });
        return;
      case 'end':
        this.#ended(event);
        return;
      case 'order':
        this.#lookup(event);
        return;
      case 'movement':
        record('exchange_movements_total', 1, { endpoint: event.endpoint, progress: event.progress });
        return;
      case 'limit':
        record('exchange_cool_downs_total', 1, { rate_limit: event.rateLimit });
        return;
      case 'live-connection':
        this.#connection(event);
        return;
      case 'live-gap':
        record('exchange_live_gaps_total', 1, {
          ...{ channel: event.channel, reason: event.reason, filled: String(event.filled) },
        });
        return;
      case 'live-stale': {
        const { channel, stale } = event;
        const count = Math.max(0, (this.#stale.get(channel) ?? 0) + (stale ? 1 : -1));
        this.#stale.set(channel, count);
        record('exchange_live_streams_stale', count, { channel });
        return;
      }
      case 'sharing':
    }
  }

  #ended(event: Extract<ClientEvent, { type: 'end' }>): void {
    const { call, endpoint, safety, result, kind, outcome, durationMs } = event;
    this.record('exchange_calls_total', 1, { endpoint, result, kind: kind ?? '' });
    this.#lostAt.delete(call);
    // A request with a list of orders ends beside them, without an identifier.
    const isOrder = safety === 'order' || (safety === 'orders' && event.client_order_id !== undefined);
    if (!isOrder) return;
    this.record('exchange_orders_total', 1, { endpoint, outcome: result === 'ok' ? 'placed' : (outcome ?? 'unknown') });
    this.record('exchange_order_seconds', durationMs / 1000, { endpoint });
  }

  #lookup({ call, progress }: Extract<ClientEvent, { type: 'order' }>): void {
    this.record('exchange_order_lookups_total', 1, { progress });
    const lostAt = this.#lostAt.get(call);
    if (progress === 'looking-up') {
      if (lostAt === undefined) this.#lostAt.set(call, performance.now());
      return;
    }
    this.#lostAt.delete(call);
    if (lostAt !== undefined)
      this.record('exchange_order_lookup_seconds', (performance.now() - lostAt) / 1000, { progress });
  }

  #connection({ connection: name, state }: Extract<ClientEvent, { type: 'live-connection' }>): void {
    // A connection of its own is named after its market: `candles BTC_USDT 1m`.
    const [connection = name] = name.split(' ');
    this.record('exchange_live_connected', state.status === 'open' ? 1 : 0, { connection });
    if (state.status === 'waiting') this.record('exchange_live_losses_total', 1, { connection, reason: state.reason });
    if (state.status === 'open' && state.generation > 1)
      this.record('exchange_live_reconnections_total', 1, { connection });
  }
}
