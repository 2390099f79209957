// A trace for each order, made when its call has ended: its spans show where the time went.
import {
  SpanKind,
  SpanStatusCode,
  trace,
  ROOT_CONTEXT,
  type Attributes,
  type Context,
  type Tracer,
} from '@opentelemetry/api';
import type { Subscription } from 'rxjs';
import type { Client, ClientEvent } from '../client/index.js';

/** Spans of a trace: an order that is retried for hours has more. */
const maxSpans = 200;
/** Calls that are remembered while they run. */
const maxCalls = 10_000;

interface Span {
  readonly name: string;
  /** Unix milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly attributes: Attributes;
  readonly isError?: boolean;
}

interface Running {
  readonly spans: Span[];
  lookupSince?: number;
}

/**
 * Makes a trace for each order call of a client, until it is unsubscribed. Its span covers the call from subscription to
 * end; the spans below it are the waits for a permit, the attempts, the waits before retries and the lookups. Each trace
 * begins at its order: it is not a part of the span in which the order was placed.
 *
 * @example
 * ```ts
 * import { trace } from '@opentelemetry/api';
 * import { createExchange } from 'exchange-rx';
 * import { traceOrders } from 'exchange-rx/opentelemetry';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * traceOrders(exchange, trace.getTracer('my-bot'));
 * ```
 */
export function traceOrders(exchange: Pick<Client, 'events$'>, tracer: Tracer): Subscription {
  const calls = new Map<number, Running>();
  return exchange.events$.subscribe((event) => {
    if (!('call' in event)) return;
    const call = calls.get(event.call) ?? { spans: [] };
    if (event.type === 'end') {
      calls.delete(event.call);
      if (event.safety === 'order' || event.safety === 'orders') writeTrace(tracer, event, call.spans);
      return;
    }
    if (calls.size < maxCalls) calls.set(event.call, call);
    const span = spanOf(event, call, Date.now());
    if (span !== undefined && call.spans.length < maxSpans) call.spans.push(span);
  });
}

function spanOf(event: ClientEvent, call: Running, now: number): Span | undefined {
  switch (event.type) {
    case 'wait':
      return {
        ...{ name: 'wait for a permit', from: now - event.waitedMs, to: now },
        ...{ attributes: { 'exchange.rate_limit': event.rateLimit }, isError: event.kind !== undefined },
      };
    case 'response':
      return {
        ...{ name: `attempt ${event.attempt}`, from: now - event.durationMs, to: now },
        attributes: {
          'exchange.result': event.result,
          ...(event.status === undefined ? {} : { 'http.response.status_code': event.status }),
          ...(event.kind === undefined ? {} : { 'error.type': event.kind }),
          ...(event.outcome === undefined ? {} : { 'exchange.outcome': event.outcome }),
        },
        isError: event.result === 'error',
      };
    case 'retry':
      return {
        ...{ name: 'wait before a retry', from: now, to: now + event.delayMs },
        attributes: { 'error.type': event.kind },
      };
    case 'order': {
      const { progress, reason } = event;
      if (progress === 'looking-up') {
        call.lookupSince ??= now;
        return undefined;
      }
      const from = call.lookupSince ?? now;
      delete call.lookupSince;
      return {
        ...{ name: 'lookup', from, to: now, isError: progress === 'unknown' },
        attributes: { 'exchange.progress': progress, ...(reason === undefined ? {} : { 'exchange.reason': reason }) },
      };
    }
    default:
      return undefined;
  }
}

function writeTrace(tracer: Tracer, end: Extract<ClientEvent, { type: 'end' }>, spans: readonly Span[]): void {
  const to = Date.now();
  const { endpoint, client_order_id, result, outcome, kind, attempt } = end;
  const order: Span = {
    ...{ name: endpoint, from: to - end.durationMs, to, isError: result === 'error' },
    attributes: {
      'exchange.endpoint': endpoint,
      'exchange.outcome': result === 'ok' ? 'placed' : (outcome ?? 'unknown'),
      'exchange.attempts': attempt,
      ...(client_order_id === undefined ? {} : { 'exchange.client_order_id': client_order_id }),
      ...(kind === undefined ? {} : { 'error.type': kind }),
    },
  };
  const parent = writeSpan(tracer, order, ROOT_CONTEXT);
  for (const span of spans) writeSpan(tracer, span, parent);
}

function writeSpan(tracer: Tracer, { name, from, to, attributes, isError = false }: Span, parent: Context): Context {
  const kind = parent === ROOT_CONTEXT ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const span = tracer.startSpan(name, { startTime: from, attributes, kind }, parent);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(to);
  return trace.setSpan(parent, span);
}
