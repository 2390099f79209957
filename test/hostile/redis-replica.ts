// A process that shares a limit over Redis and sends without pause; it prints when, Unix ms. Arguments: address, name, limit, window, late arrival.
import { createScheduler } from '../../src/index.js';
import { shareOverRedis } from '../../src/scheduler/redis/index.js';

const [url = '', name = '', limit, windowMs, lateArrivalMs] = process.argv.slice(2);
const scheduler = createScheduler({ lateArrivalMs: Number(lateArrivalMs), redis: shareOverRedis({ url, name }) });
const group = { name: 'test', limit: Number(limit), windowMs: Number(windowMs) };

function next(): void {
  scheduler.acquire(group).subscribe((permit) => {
    process.stdout.write(`${performance.timeOrigin + performance.now()}\n`);
    setTimeout(() => {
      permit.release('answered');
      next();
    }, 5);
  });
}
for (let loop = 0; loop < 50; loop += 1) next();
