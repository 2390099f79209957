// Traces of orders in a real tracer, of a sandbox with faults; and the metrics in an OpenTelemetry meter.
import type { Meter, MetricOptions } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createExchange, type ClientEvent } from 'exchange-rx';
import { observeMetrics } from 'exchange-rx/metrics';
import { otelMeter, traceOrders } from 'exchange-rx/opentelemetry';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, lastValueFrom, of, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';

/** The spans of a client's orders. */
function tracing(client: Parameters<typeof traceOrders>[0]) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  traceOrders(client, provider.getTracer('test'));
  return () => exporter.getFinishedSpans();
}

const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01', client_order_id: 'mine-1' } as const;

describe('the trace of an order', () => {
  it('has its outcome, its attempts and its lookup, in their order and inside of it', async () => {
    const sandbox = createSandbox();
    const exchange = createExchange(sandbox.clientOptions());
    const finished = tracing(exchange);
    sandbox.fault({ kind: 'reset', executed: true, path: '/api/v4/order/stock_market' });
    await lastValueFrom(exchange.public.ping());
    await lastValueFrom(exchange.spot.placeStockMarketOrder(order));
    const spans = finished();
    const root = spans.find(({ name }) => name === 'spot.placeStockMarketOrder');
    expect(root?.parentSpanContext).toBeUndefined();
    expect(root?.attributes).toEqual({
      ...{ 'exchange.endpoint': 'spot.placeStockMarketOrder', 'exchange.outcome': 'placed' },
      ...{ 'exchange.attempts': 1, 'exchange.client_order_id': 'mine-1' },
    });
    const below = spans.filter((span) => span.parentSpanContext?.spanId === root?.spanContext().spanId);
    const named = below.filter(({ name }) => name !== 'wait for a permit');
    expect(named.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['attempt 1', { 'exchange.result': 'error', 'error.type': 'transport', 'exchange.outcome': 'unknown' }],
      ['lookup', { 'exchange.progress': 'found' }],
    ]);
    expect(spans).toHaveLength(1 + below.length);
    expect(JSON.stringify(spans.map(({ name }) => name))).not.toContain('ping');
  });

  it('of a rejected order is an error', async () => {
    const exchange = createExchange(createSandbox().clientOptions());
    const finished = tracing(exchange);
    const refused$ = exchange.spot.placeStockMarketOrder({ ...order, amount: '999999' });
    await lastValueFrom(refused$.pipe(catchError(() => of(undefined))));
    const root = finished().find(({ parentSpanContext }) => parentSpanContext === undefined);
    expect(root?.attributes['exchange.outcome']).toBe('rejected');
    expect(root?.status.code).toBe(2);
  });

  it('has the waits for a permit and before retries, and the reason of an unknown outcome', () => {
    const events = new Subject<ClientEvent>();
    const finished = tracing({ events$: events });
    const about = { endpoint: 'spot.placeLimitOrder', rateLimit: 'orders', call: 1, attempt: 1 };
    const unavailable = { kind: 'unavailable' } as const;
    const ofOrder = { type: 'order', endpoint: about.endpoint, call: 1, client_order_id: 'a' } as const;
    const sequence: ClientEvent[] = [
      { type: 'limit', rateLimit: 'orders', coolDownMs: 1 },
      { type: 'wait', ...about, waitedMs: 40 },
      { type: 'request', ...about },
      { type: 'response', ...about, durationMs: 30, result: 'error', status: 503, ...unavailable, outcome: 'unknown' },
      { type: 'retry', ...about, delayMs: 20, ...unavailable, outcome: 'not-executed' },
      { ...ofOrder, progress: 'looking-up' },
      { ...ofOrder, progress: 'unknown', reason: 'no list' },
      { type: 'end', ...about, safety: 'orders', durationMs: 90, result: 'canceled' },
    ];
    for (const event of sequence) events.next(event);
    const spans = finished();
    expect(spans.map(({ name, status }) => `${name} ${status.code}`)).toEqual([
      'spot.placeLimitOrder 0',
      'wait for a permit 0',
      'attempt 1 2',
      'wait before a retry 0',
      'lookup 2',
    ]);
    const [root, wait] = spans;
    expect(root?.attributes['exchange.outcome']).toBe('unknown');
    expect(wait?.duration[1]).toBe(40_000_000);
    expect(spans.at(-1)?.attributes).toEqual({ 'exchange.progress': 'unknown', 'exchange.reason': 'no list' });
  });
});

it('the meter of OpenTelemetry gets every kind of metric, and buckets for seconds', async () => {
  const recorded: string[] = [];
  const bounds = new Set<number | undefined>();
  const instrument = (kind: string) => (name: string, options?: MetricOptions) => {
    if (name.endsWith('_seconds')) bounds.add(options?.advice?.explicitBucketBoundaries?.at(-1));
    return { [kind]: (value: number) => recorded.push(`${kind} ${name} ${Math.sign(value)}`) };
  };
  const meter = {
    ...{ createCounter: instrument('add'), createGauge: instrument('record'), createHistogram: instrument('record') },
  } as unknown as Meter;
  const exchange = createExchange(createSandbox().clientOptions());
  const all = observeMetrics(exchange, otelMeter(meter));
  await lastValueFrom(exchange.public.ping());
  all.unsubscribe();
  expect([...bounds]).toEqual([60]);
  const some = ['record exchange_orders_in_doubt 0', 'record exchange_request_seconds 1', 'add exchange_calls_total 1'];
  expect(recorded).toEqual(expect.arrayContaining(some));
});
