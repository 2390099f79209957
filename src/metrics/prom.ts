// Keeps metrics in prom-client, beside a program's own.
import { buckets, type Metric } from './definitions.js';
import type { Labels, Meter } from './observe.js';

interface Described {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** What {@link promMeter} uses of the package `prom-client`. */
export interface PromClient<Registry> {
  readonly Counter: new (options: Described & { registers: Registry[] }) => {
    inc(labels: Labels, value: number): void;
  };
  readonly Gauge: new (options: Described & { registers: Registry[] }) => { set(labels: Labels, value: number): void };
  readonly Histogram: new (options: Described & { registers: Registry[]; buckets: number[] }) => {
    observe(labels: Labels, value: number): void;
  };
}

/**
 * A meter of prom-client.
 *
 * @param registry where the metrics are registered, such as `prom.register`
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { observeMetrics, promMeter } from 'exchange-rx/metrics';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import prom from 'prom-client';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * observeMetrics(exchange, promMeter(prom, prom.register));
 * ```
 */
export function promMeter<Registry>(client: PromClient<Registry>, registry: Registry): Meter {
  const described = (name: string, { help, labels }: Metric) => ({
    ...{ name, help, labelNames: [...labels], registers: [registry] },
  });
  return {
    counter(name, metric) {
      const counter = new client.Counter(described(name, metric));
      return (value, labels) => {
        counter.inc(labels, value);
      };
    },
    gauge(name, metric) {
      const gauge = new client.Gauge(described(name, metric));
      return (value, labels) => {
        gauge.set(labels, value);
      };
    },
    histogram(name, metric) {
      const histogram = new client.Histogram({ ...described(name, metric), buckets: [...buckets] });
      return (value, labels) => {
        histogram.observe(labels, value);
      };
    },
  };
}
