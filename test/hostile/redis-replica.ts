// A process that shares a limit over Redis and sends without pause; it prints when, Unix ms, and why it lost Redis.
// Arguments: address, name, limit, window, late arrival, and by how many ms its wall clock is set half a second after the
// first request.
import { createScheduler } from '../../src/scheduler/index.js';
import { shareOverRedis } from '../../src/scheduler/redis/index.js';

const [url = '', name = '', limit, windowMs, lateArrivalMs, stepMs = ''] = process.argv.slice(2);
const scheduler = createScheduler({ lateArrivalMs: Number(lateArrivalMs), redis: shareOverRedis({ url, name }) });
const rateLimit = { name: 'test', limit: Number(limit), windowMs: Number(windowMs) };
let isSet = stepMs === '';

scheduler.events$.subscribe((event) => {
  if (event.type === 'sharing' && event.state === 'lost') process.stdout.write(`${event.reason}\n`);
});

function setClock(): void {
  if (isSet) return;
  isSet = true;
  const now = Date.now.bind(Date);
  setTimeout(() => {
    Date.now = () => now() + Number(stepMs);
  }, 500);
}

function next(): void {
  scheduler.acquire(rateLimit).subscribe((permit) => {
    setClock();
    process.stdout.write(`${performance.timeOrigin + performance.now()}\n`);
    setTimeout(() => {
      permit.release('responded');
      next();
    }, 5);
  });
}
for (let loop = 0; loop < 50; loop += 1) next();
