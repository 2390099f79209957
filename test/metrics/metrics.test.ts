// Metrics of a client: what a sandbox with faults makes of them, as text and in prom-client.
import { createExchange, type ClientEvent } from 'exchange-rx';
import { metrics, observeMetrics, promMeter, textMeter } from 'exchange-rx/metrics';
import { createSandbox } from 'exchange-rx/sandbox';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import prom from 'prom-client';
import { catchError, EMPTY, lastValueFrom, NEVER, of, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';

/** The values of a text, by name and labels. */
const valuesOf = (text: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );

/** What a meter has of a client with these events alone. */
function reporting() {
  const events = new Subject<ClientEvent>();
  const scheduler = { acquire: () => NEVER, usage$: NEVER, events$: EMPTY };
  const meter = textMeter();
  observeMetrics({ events$: events, undecided$: of([]), scheduler }, meter);
  return { events, meter };
}

describe('the metrics of a client', () => {
  it('count an order whose response was lost once, as placed, with the time of its lookup, and each order of a list', async () => {
    const sandbox = createSandbox();
    const exchange = createExchange(sandbox.clientOptions());
    const meter = textMeter();
    const registry = new prom.Registry();
    const all = observeMetrics(exchange, meter);
    all.add(observeMetrics(exchange, promMeter(prom, registry)));
    sandbox.fault({ kind: 'reset', executed: true, path: '/api/v4/order/stock_market' });
    await lastValueFrom(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' }));
    const refused$ = exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '999999' });
    await lastValueFrom(refused$.pipe(catchError(() => of(undefined))));
    const limit = { market: 'BTC_USDT', side: 'buy', price: '50000' } as const;
    const orders = ['0.01', '0.02', '9999999'].map((amount) => ({ ...limit, amount }));
    await lastValueFrom(exchange.spot.placeLimitOrders({ orders }));
    // The usage of rate limits is reported once a second at most.
    await expect.poll(() => meter.text()).toContain('\nexchange_limit_used_ratio{');
    const values = valuesOf(meter.text());
    expect(values).toMatchObject({
      'exchange_orders_total{endpoint="spot.placeStockMarketOrder",outcome="placed"}': 1,
      'exchange_orders_total{endpoint="spot.placeStockMarketOrder",outcome="rejected"}': 1,
      'exchange_order_seconds_count{endpoint="spot.placeStockMarketOrder"}': 2,
      'exchange_orders_total{endpoint="spot.placeLimitOrders",outcome="placed"}': 2,
      'exchange_orders_total{endpoint="spot.placeLimitOrders",outcome="rejected"}': 1,
      'exchange_order_seconds_count{endpoint="spot.placeLimitOrders"}': 3,
      'exchange_order_lookups_total{progress="found"}': 1,
      'exchange_order_lookup_seconds_count{progress="found"}': 1,
      exchange_orders_in_doubt: 0,
    });
    const ofProm = valuesOf(await registry.metrics());
    for (const [name, value] of Object.entries(values))
      if (name.startsWith('exchange_orders')) expect(ofProm[name]).toBe(value);
    all.unsubscribe();
    await lastValueFrom(exchange.public.ping());
    expect(valuesOf(meter.text())).toEqual(values);
  });

  const call = { endpoint: 'a', rateLimit: 'public', call: 1, attempt: 1 } as const;
  const open = { type: 'live-connection', connection: 'public' } as const;
  const candles = { ...open, connection: 'candles BTC_USDT 1m' };
  const lost = { status: 'waiting', until: 1, reason: 'lost' } as const;
  const gap = { type: 'live-gap', channel: 'trades', reason: 'reconnect', from: 1, to: 2, filled: true } as const;
  const movement = { type: 'movement', endpoint: 'account.transfer', call: 1, progress: 'unknown' } as const;
  const opened = (generation: number) => ({ ...open, state: { status: 'open', generation, since: 1 } as const });
  const placing = { ...call, type: 'end', safety: 'order', endpoint: 'spot.placeLimitOrder', durationMs: 1 } as const;
  it.each<[ClientEvent, string, number]>([
    [{ type: 'wait', ...call, waitedMs: 30 }, 'permit_wait_seconds_bucket{rate_limit="public",le="0.05"}', 1],
    [{ type: 'wait', ...call, waitedMs: 90_000 }, 'permit_wait_seconds_bucket{rate_limit="public",le="60"}', 0],
    [{ type: 'retry', ...call, delayMs: 1, kind: 'api', outcome: 'none' }, 'retries_total{endpoint="a",kind="api"}', 1],
    [{ type: 'unreadable', ...call, count: 3, sample: '' }, 'unreadable_records_total{endpoint="a"}', 3],
    [movement, 'movements_total{endpoint="account.transfer",progress="unknown"}', 1],
    [{ type: 'limit', rateLimit: 'a"b\\', coolDownMs: 1 }, 'cool_downs_total{rate_limit="a\\"b\\\\"}', 1],
    [gap, 'live_gaps_total{channel="trades",reason="reconnect",filled="true"}', 1],
    [{ ...candles, state: lost }, 'live_losses_total{connection="candles",reason="lost"}', 1],
    [opened(2), 'live_reconnections_total{connection="public"}', 1],
    [opened(1), 'live_connected{connection="public"}', 1],
    [{ ...placing, result: 'canceled' }, 'orders_total{endpoint="spot.placeLimitOrder",outcome="unknown"}', 1],
  ])('%# have the event', (event, name, value) => {
    const { events, meter } = reporting();
    events.next(event);
    expect(valuesOf(meter.text())[`exchange_${name}`]).toBe(value);
  });

  it('count the stale subscriptions of each channel, from the first event on', () => {
    const { events, meter } = reporting();
    const stale = (channel: string, ...states: readonly boolean[]) => {
      for (const one of states) events.next({ type: 'live-stale', channel, market: 'BTC_USDT', stale: one });
      return valuesOf(meter.text())[`exchange_live_streams_stale{channel="${channel}"}`];
    };
    expect([stale('trades', true, true, false), stale('orderBook', false), stale('trades', false)]).toEqual([1, 0, 0]);
  });

  it('say nothing of shared limits', () => {
    const { events, meter } = reporting();
    const before = meter.text();
    events.next({ type: 'sharing', state: 'lost', reason: 'the connection was lost' });
    expect(meter.text()).toBe(before);
  });

  it('measure a lookup from its first loss to its end', () => {
    const { events, meter } = reporting();
    const order = { type: 'order', endpoint: 'a', call: 1, client_order_id: 'b' } as const;
    for (const progress of ['looking-up', 'looking-up', 'absent', 'unknown'] as const)
      events.next({ ...order, progress });
    expect(valuesOf(meter.text())).toMatchObject({
      'exchange_order_lookups_total{progress="looking-up"}': 2,
      'exchange_order_lookup_seconds_count{progress="absent"}': 1,
    });
    expect(meter.text()).not.toContain('lookup_seconds_count{progress="unknown"}');
  });

  it('keep at most 2000 values of a metric', () => {
    const meter = textMeter();
    const record = meter.counter('exchange_retries_total', metrics.exchange_retries_total);
    for (let index = 0; index < 2100; index += 1) record(1, { endpoint: `e${index}`, kind: 'api' });
    expect(Object.keys(valuesOf(meter.text()))).toHaveLength(2000);
  });

  it('are all in docs/operations.md, with their labels and texts', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const rows = Object.entries(metrics).map(
      ([name, { kind, labels, help }]) =>
        `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
    );
    expect(page.split('\n').filter((line) => line.startsWith('| `exchange_'))).toEqual(rows);
  });
});
