// A client process of the soak test: keeps both limits saturated over a network of 5 to 80 ms, and reports the result of
// every request.
import {
  createExchange,
  createScheduler,
  isExchangeError,
  undiciTransport,
  type Exchange,
  type Sending,
  type Transport,
} from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  catchError,
  defer,
  EMPTY,
  ignoreElements,
  lastValueFrom,
  merge,
  mergeMap,
  range,
  repeat,
  tap,
  type Observable,
} from 'rxjs';
import type { ExchangeOpened } from './exchange.js';
import { givenOptions, sendToParent } from '../support/children.js';
import type { SharingEvent } from '../../src/scheduler/index.js';

export interface ClientOptions {
  /**
   * Two clients, because bursts at both limits need more than the one nonce per millisecond that a key has. They share
   * the scheduler.
   */
  readonly clients: ExchangeOpened['clients'];
  readonly seconds: number;
  readonly redisUrl?: string;
}

const { clients, seconds, redisUrl } = givenOptions() as ClientOptions;
const scheduler = createScheduler(redisUrl === undefined ? {} : { redis: shareOverRedis({ url: redisUrl }) });
const sharing: SharingEvent[] = [];
scheduler.events$.subscribe((event) => {
  if (event.type === 'sharing') sharing.push(event);
});

const oneWay = () => sleep(2.5 + Math.random() * 37.5);
/** Requests and responses take their time on the way. */
function delayed(transport: Transport): Transport {
  return {
    send: (request, options) => {
      let sending: Sending | undefined;
      let isAborted = false;
      const travel = async () => {
        await oneWay();
        if (isAborted) throw new Error('aborted');
        sending = transport.send(request, options);
        const response = await sending.response;
        await oneWay();
        return response;
      };
      return {
        response: travel(),
        abort: () => {
          isAborted = true;
          sending?.abort();
        },
      };
    },
  };
}
const exchanges = clients.map((client) =>
  createExchange({ ...client, scheduler, transport: delayed(undiciTransport({ connections: 256 })) }),
);

const endsAt = performance.now() + seconds * 1000;

/** Keeps `concurrency` requests running until the time is over: each is replaced as soon as it ends. */
function saturate(
  send: (count: number) => Observable<unknown>,
  concurrency: number,
  results: Record<string, number>,
): Observable<never> {
  let count = 0;
  const one$ = defer(() => {
    count += 1;
    return send(count).pipe(
      tap(() => {
        results['ok'] = (results['ok'] ?? 0) + 1;
      }),
      catchError((error: unknown) => {
        const kind = isExchangeError(error) ? error.kind : 'foreign';
        results[kind] = (results[kind] ?? 0) + 1;
        // One error of each kind is enough to diagnose a failure.
        if (results[kind] === 1) console.error(error);
        return EMPTY;
      }),
    );
  });
  return range(0, concurrency).pipe(
    mergeMap(() =>
      one$.pipe(ignoreElements(), repeat({ delay: () => (performance.now() < endsAt ? Promise.resolve() : EMPTY) })),
    ),
  );
}

const responses = { count: 0, ms: 0 };
let sentOrders = 0;
for (const { events$ } of exchanges) {
  events$.subscribe((event) => {
    if (event.type === 'request' && event.rateLimit === 'spot.placeStockMarketOrder') sentOrders += 1;
    if (event.type !== 'response') return;
    responses.count += 1;
    responses.ms += event.durationMs;
  });
}

const orders: Record<string, number> = {};
const pings: Record<string, number> = {};
const heap: number[] = [];
const rss: number[] = [];
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
const cpu = process.cpuUsage();

function measureMemory(): void {
  globalThis.gc?.();
  heap.push(process.memoryUsage().heapUsed);
  rss.push(process.memoryUsage().rss);
}
const measuring = setInterval(measureMemory, (seconds * 1000) / 3);

/** The traffic of one client: orders, of which 1 in 20 is urgent, and pings of every priority. */
function traffic(exchange: Exchange): Observable<never> {
  const place = (count: number) => {
    const order = { market: 'BTC_USDT', side: count % 2 === 0 ? 'buy' : 'sell', amount: '0.001' } as const;
    return exchange.spot.placeStockMarketOrder(order, {
      priority: count % 20 === 0 ? 'urgent' : 'normal',
      validForMs: 60_000,
    });
  };
  const ping = (count: number) => exchange.public.ping({ priority: count % 10 === 0 ? 'urgent' : 'normal' });
  return merge(saturate(place, 120, orders), saturate(ping, 30, pings));
}

await lastValueFrom(merge(...exchanges.map(traffic)), { defaultValue: undefined });

clearInterval(measuring);
measureMemory();
const { user, system } = process.cpuUsage(cpu);
const report = {
  /** The number of requests by result: `ok`, or the kind of the error. */
  ...{ orders, pings },
  /** Order requests sent. An order whose response was late may have more than one. */
  sentOrders,
  cpuMicros: user + system,
  /** After garbage collection, in bytes: after one third of the time, after two thirds, and at the end. */
  ...{ heap, rss },
  eventLoopDelayP99Ms: delay.percentile(99) / 1e6,
  /** A busy machine stalls for seconds. */
  maxStandstillMs: delay.max / 1e6,
  /** From sending to the response. A permit is held for this time plus a window. */
  meanLatencyMs: responses.ms / responses.count,
  sharing,
};
export type ClientReport = typeof report;
sendToParent(report);
process.disconnect();
