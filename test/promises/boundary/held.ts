// A program with the maximum of requests in flight to a server whose address it is given. Each response has nearly 8 MiB
// and never ends. It prints the maximum growth of the process, bytes.
import { setTimeout as sleep } from 'node:timers/promises';
import { createExchange } from '../../../src/index.js';

const exchange = createExchange({ baseUrl: process.argv[2] ?? '', retry: false, timeoutMs: 60_000 });
const before = process.memoryUsage().rss;
let maxGrowth = 0;
for (let request = 0; request < 256; request += 1) exchange.public.markets().subscribe({ error: () => undefined });
for (let times = 0; times < 100; times += 1) {
  await sleep(50);
  maxGrowth = Math.max(maxGrowth, process.memoryUsage().rss - before);
}
process.stdout.write(String(maxGrowth), () => process.exit());
