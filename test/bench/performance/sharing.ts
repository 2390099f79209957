// One process of several that place orders behind one address, and share the limit over Redis or not.
import { createExchange, createScheduler } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastValueFrom } from 'rxjs';
import { givenOptions, sendToParent } from '../../support/children.js';
import { apiKey, apiSecret, order } from './contenders/contender.js';

export interface SharingOptions {
  readonly baseUrl: string;
  readonly redisUrl: string | undefined;
  /** Orders a second of this process. */
  readonly perSecond: number;
}

export interface SharingCost {
  /** CPU an order, microseconds. */
  readonly cpuMicros: number;
}

const measuredMs = 10_000;
const everyMs = 10;

const { baseUrl, redisUrl, perSecond } = givenOptions() as SharingOptions;
const scheduler = createScheduler(redisUrl === undefined ? {} : { redis: shareOverRedis({ url: redisUrl }) });
const exchange = createExchange({ baseUrl, credentials: { apiKey, apiSecret }, scheduler });
const place = () => lastValueFrom(exchange.spot.placeStockMarketOrder(order));

async function placeFor(ms: number): Promise<number> {
  const since = performance.now();
  const placed: Promise<unknown>[] = [];
  while (performance.now() - since < ms) {
    const due = ((performance.now() - since) / 1000) * perSecond;
    while (placed.length < due) placed.push(place());
    await sleep(everyMs);
  }
  await Promise.all(placed);
  return placed.length;
}

// A server that was started just now grants no permit for two windows.
await lastValueFrom(exchange.spot.placeStockMarketOrder(order, { validForMs: 60_000 }));
await placeFor(3000);
const cpu = process.cpuUsage();
const placed = await placeFor(measuredMs);
const { user, system } = process.cpuUsage(cpu);
const cost: SharingCost = { cpuMicros: (user + system) / placed };
sendToParent(cost);
process.exit();
