// A process whose rate limits are shared over Redis and not used: how many commands Redis processes for it, and the CPU
// of the process. Each rate limit is used once before.
import { createScheduler } from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { givenOptions, sendToParent } from '../../support/children.js';

export interface IdleSharingOptions {
  readonly redisUrl: string;
  readonly rateLimits: number;
}

export interface IdleSharingCost {
  readonly commandsPerSecond: number;
  /** Share of a core. */
  readonly share: number;
  /** CPU a permit when all rate limits are used in turn, microseconds. */
  readonly cpuMicros: number;
}

const measuredMs = 10_000;
/** Short windows, so that permits return soon. At rest the window makes no difference. */
const windowMs = 1000;
/** Until permits have returned, and rate limits that are not used rest. */
const restMs = 8000;
const permitsPerSecond = 500;

const { redisUrl, rateLimits } = givenOptions() as IdleSharingOptions;
const scheduler = createScheduler({ lateArrivalMs: windowMs, redis: shareOverRedis({ url: redisUrl }) });
const limits = Array.from({ length: rateLimits }, (_, index) => ({ name: `limit-${index}`, limit: 1000, windowMs }));
const redis = new Redis(redisUrl);

async function use(index: number): Promise<void> {
  const rateLimit = limits[index % rateLimits];
  if (rateLimit !== undefined) (await firstValueFrom(scheduler.acquire(rateLimit))).release('responded');
}

async function commands(): Promise<number> {
  return Number(/^total_commands_processed:(\d+)/m.exec(await redis.info('stats'))?.[1]);
}

async function useFor(ms: number): Promise<number> {
  const since = performance.now();
  const uses: Promise<void>[] = [];
  while (performance.now() - since < ms) {
    const due = ((performance.now() - since) / 1000) * permitsPerSecond;
    while (uses.length < due) uses.push(use(uses.length));
    await sleep(10);
  }
  await Promise.all(uses);
  return uses.length;
}

const cpuSince = (before: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

await Promise.all(limits.map((_, index) => use(index)));
await useFor(2000);
const busy = process.cpuUsage();
const used = await useFor(measuredMs);
const cpuMicros = cpuSince(busy) / used;
await sleep(restMs);
const [idle, before] = [process.cpuUsage(), await commands()];
await sleep(measuredMs);
const cost: IdleSharingCost = {
  commandsPerSecond: ((await commands()) - before) / (measuredMs / 1000),
  share: cpuSince(idle) / 1000 / measuredMs,
  cpuMicros,
};
sendToParent(cost);
process.exit();
