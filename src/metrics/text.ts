// Keeps metrics in memory, and writes them as the text that Prometheus reads.
import { buckets, type Metric } from './definitions.js';
import type { Labels, Meter, RecordValue } from './observe.js';

/** A meter that writes its values as text. */
export interface TextMeter extends Meter {
  /** The values now, in the text format of Prometheus 0.0.4: serve it as {@link metricsContentType}. */
  text(): string;
}

/** The `content-type` of {@link TextMeter.text}. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Values of a metric; further ones are dropped, so that labels cannot fill the memory. */
const maxValues = 2000;

interface Value {
  readonly labels: Labels;
  /** Of a histogram, their sum. */
  sum: number;
  /** How many values are in each bucket alone; the last count is of those above all. Only a histogram shows them. */
  readonly counts: number[];
}

/**
 * A meter that needs no other package.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { metricsContentType, textMeter } from 'exchange-rx/metrics';
 *
 * const meter = textMeter();
 * const server = createServer((_request, response) => {
 *   response.setHeader('content-type', metricsContentType).end(meter.text());
 * });
 * ```
 */
export function textMeter(): TextMeter {
  const written: (() => string)[] = [];
  const made = (name: string, metric: Metric): RecordValue => {
    const values = new Map<string, Value>();
    written.push(() => metricText(name, metric, [...values.values()]));
    return (value, labels) => {
      const key = labelsText(labels);
      let entry = values.get(key);
      if (entry === undefined) {
        if (values.size >= maxValues) return;
        entry = { labels, sum: 0, counts: [0, ...buckets.map(() => 0)] };
        values.set(key, entry);
      }
      entry.sum = metric.kind === 'gauge' ? value : entry.sum + value;
      const bucket = buckets.findIndex((bound) => value <= bound);
      const index = bucket === -1 ? buckets.length : bucket;
      entry.counts[index] = (entry.counts[index] ?? 0) + 1;
    };
  };
  return { counter: made, gauge: made, histogram: made, text: () => written.map((text) => text()).join('') };
}

function metricText(name: string, { help, kind }: Metric, values: readonly Value[]): string {
  const lines = values.flatMap((value) =>
    kind === 'histogram' ? histogramLines(name, value) : [line(name, value.labels, value.sum)],
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n');
}

function histogramLines(name: string, { labels, sum, counts }: Value): string[] {
  let count = 0;
  const bounds = [...buckets.map(String), '+Inf'].map((le, index) => {
    count += counts[index] ?? 0;
    return line(`${name}_bucket`, { ...labels, le }, count);
  });
  return [...bounds, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];
}

function line(name: string, labels: Labels, value: number): string {
  return `${name}${labelsText(labels)} ${value}`;
}

function labelsText(labels: Labels): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return written.length === 0 ? '' : `{${written.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n');
}
