/**
 * Traces and metrics of a client in OpenTelemetry. Requires `@opentelemetry/api`.
 *
 * @packageDocumentation
 */
export { otelMeter } from './meter.js';
export { traceOrders } from './traces.js';
