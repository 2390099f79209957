// Keeps metrics in OpenTelemetry.
import type { Meter as OtelMeter } from '@opentelemetry/api';
import { buckets, type Meter } from '../metrics/index.js';

/**
 * A meter of OpenTelemetry, for `observeMetrics` of `exchange-rx/metrics`: the same names; histograms in seconds.
 *
 * @example
 * ```ts
 * import { metrics } from '@opentelemetry/api';
 * import { createExchange } from 'exchange-rx';
 * import { observeMetrics } from 'exchange-rx/metrics';
 * import { otelMeter } from 'exchange-rx/opentelemetry';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * observeMetrics(exchange, otelMeter(metrics.getMeter('my-bot')));
 * ```
 */
export function otelMeter(meter: OtelMeter): Meter {
  return {
    counter(name, { help: description }) {
      const counter = meter.createCounter(name, { description });
      return (value, labels) => {
        counter.add(value, labels);
      };
    },
    gauge(name, { help: description }) {
      const gauge = meter.createGauge(name, { description });
      return (value, labels) => {
        gauge.record(value, labels);
      };
    },
    histogram(name, { help: description }) {
      // Those of OpenTelemetry are for milliseconds: all of these durations would be in the first two.
      const advice = { explicitBucketBoundaries: [...buckets] };
      const histogram = meter.createHistogram(name, { description, unit: 's', advice });
      return (value, labels) => {
        histogram.record(value, labels);
      };
    },
  };
}
