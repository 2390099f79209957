// A client process of the soak: keeps both limits saturated through a network of 5 to 80 ms, and tells what every
// request came to.
import { createExchange, createScheduler, isExchangeError, type Exchange, type SharingEvent } from 'exchange-rx';
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
import { givenOptions, tell } from '../support/children.js';
import { undiciFetch } from '../../src/http/index.js';

export interface ClientOptions {
  /**
   * Two: a key has one nonce a millisecond, which bursts of both limits' traffic would outrun. They share the
   * scheduler.
   */
  readonly clients: ExchangeOpened['clients'];
  readonly seconds: number;
  readonly redisUrl?: string;
  /** Share of the limits that is kept for urgent requests. */
  readonly urgentShare?: number;
}

export interface ClientReport {
  /** Requests by what they came to: `ok`, or the kind of the error. */
  readonly orders: Readonly<Record<string, number>>;
  readonly pings: Readonly<Record<string, number>>;
  /** Requests of orders that were sent: an order whose answer came too late may have more than one. */
  readonly sentOrders: number;
  readonly cpuMicros: number;
  /** Heap after collection, bytes: after a third of the time, after two, and at the end. */
  readonly heap: readonly number[];
  readonly rss: readonly number[];
  readonly eventLoopDelayP99Ms: number;
  /** The longest the process did nothing, milliseconds: a busy machine stands still for seconds. */
  readonly maxStandstillMs: number;
  /** From sending to the answer, milliseconds: what one permit is out for beside the window. */
  readonly meanAnswerMs: number;
  readonly sharing: readonly SharingEvent[];
}

const { clients, seconds, redisUrl, urgentShare = 0.02 } = givenOptions() as ClientOptions;
const scheduler = createScheduler({
  urgentShare,
  ...(redisUrl === undefined ? {} : { redis: shareOverRedis({ url: redisUrl }) }),
});
const sharing: SharingEvent[] = [];
scheduler.events$.subscribe((event) => {
  if (event.type === 'sharing') sharing.push(event);
});

const oneWay = () => sleep(2.5 + Math.random() * 37.5);
const exchanges = clients.map((client) => {
  const send = undiciFetch({ connections: 256, connectTimeoutMs: 5000 });
  return createExchange({
    ...client,
    scheduler,
    fetch: async (input, init) => {
      await oneWay();
      const response = await send(input, init);
      await oneWay();
      return response;
    },
  });
});

const endsAt = performance.now() + seconds * 1000;

/** So many at a time, each again as soon as it has ended, until the time is over. */
function saturate(
  send: (count: number) => Observable<unknown>,
  atATime: number,
  told: Record<string, number>,
): Observable<never> {
  let count = 0;
  const one$ = defer(() => {
    count += 1;
    return send(count).pipe(
      tap(() => {
        told['ok'] = (told['ok'] ?? 0) + 1;
      }),
      catchError((error: unknown) => {
        const kind = isExchangeError(error) ? error.kind : 'foreign';
        told[kind] = (told[kind] ?? 0) + 1;
        // The first of each is enough to see what happened.
        if (told[kind] === 1) console.error(error);
        return EMPTY;
      }),
    );
  });
  return range(0, atATime).pipe(
    mergeMap(() =>
      one$.pipe(ignoreElements(), repeat({ delay: () => (performance.now() < endsAt ? Promise.resolve() : EMPTY) })),
    ),
  );
}

const answers = { count: 0, ms: 0 };
let sentOrders = 0;
for (const { events$ } of exchanges) {
  events$.subscribe((event) => {
    if (event.type === 'request' && event.rateLimit === 'stockMarket') sentOrders += 1;
    if (event.type !== 'response') return;
    answers.count += 1;
    answers.ms += event.durationMs;
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

/** What one client sends: orders, of which one in twenty is urgent, and pings of every priority. */
function traffic(exchange: Exchange): Observable<never> {
  const place = (count: number) => {
    const order = { market: 'BTC_USDT', side: count % 2 === 0 ? 'buy' : 'sell', amount: '0.001' } as const;
    return exchange.spot.placeStockMarketOrder(order, {
      priority: count % 20 === 0 ? 'urgent' : 'normal',
      validForMs: 60_000,
    });
  };
  const ping = (count: number) =>
    exchange.public.ping({ priority: pingPriorities[count % pingPriorities.length] ?? 'normal' });
  return merge(saturate(place, 120, orders), saturate(ping, 30, pings));
}
const pingPriorities = [
  'urgent',
  'background',
  'normal',
  'normal',
  'normal',
  'normal',
  'normal',
  'normal',
  'background',
  'normal',
] as const;

await lastValueFrom(merge(...exchanges.map(traffic)), { defaultValue: undefined });

clearInterval(measuring);
measureMemory();
const { user, system } = process.cpuUsage(cpu);
const report: ClientReport = {
  orders,
  pings,
  sentOrders,
  cpuMicros: user + system,
  heap,
  rss,
  eventLoopDelayP99Ms: delay.percentile(99) / 1e6,
  maxStandstillMs: delay.max / 1e6,
  meanAnswerMs: answers.ms / answers.count,
  sharing,
};
tell(report);
process.disconnect();
