// One measurement, in a process of its own: what so many polling streams cost.
import { createExchange, watchBalance } from 'exchange-rx';
import { setTimeout as sleep } from 'node:timers/promises';
import { merge } from 'rxjs';
import { givenOptions, sendToParent } from '../../support/children.js';
import { apiKey, apiSecret } from './contenders/contender.js';

export interface PollersOptions {
  readonly baseUrl: string;
  readonly count: number;
}

export interface PollersCost {
  /** Of one core, 0 to 1. */
  readonly share: number;
  /** CPU a poll, microseconds. */
  readonly microsAPoll: number;
}

const everyMs = 1000;
const measuredMs = 10_000;

const { baseUrl, count } = givenOptions() as PollersOptions;
const exchange = createExchange({ baseUrl, credentials: { apiKey, apiSecret } });
let polls = 0;
exchange.events$.subscribe((event) => {
  if (event.type === 'response') polls += 1;
});
const watching = merge(...Array.from({ length: count }, () => watchBalance(exchange, { everyMs }))).subscribe();
await sleep(3 * everyMs);
polls = 0;
const cpu = process.cpuUsage();
await sleep(measuredMs);
const { user, system } = process.cpuUsage(cpu);
watching.unsubscribe();
const cost: PollersCost = { share: (user + system) / 1000 / measuredMs, microsAPoll: (user + system) / polls };
sendToParent(cost);
process.exit();
