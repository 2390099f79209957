/**
 * Metrics of a client, for Prometheus: with prom-client, or without another package.
 *
 * @packageDocumentation
 */
export { buckets, metrics, type Metric, type MetricName } from './definitions.js';
export { observeMetrics, type Labels, type MeasuredClient, type Meter, type RecordValue } from './observe.js';
export { promMeter, type PromClient } from './prom.js';
export { metricsContentType, textMeter, type TextMeter } from './text.js';
