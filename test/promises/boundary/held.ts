// A program with the maximum of requests in flight. Each response has nearly 8 MiB and never ends. It prints the
// maximum growth of the process, bytes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createExchange } from '../../../src/index.js';

const body = Buffer.alloc(8 * 2 ** 20 - 1, ' ');

function serve(): void {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-length': body.length + 1 }).write(body),
  ).listen(0, '127.0.0.1', () => {
    process.send?.((server.address() as AddressInfo).port);
  });
}

async function measure(): Promise<void> {
  const server = fork(process.argv[1] ?? '', ['serve'], { execArgv: process.execArgv });
  const [port] = (await once(server, 'message')) as [number];
  const exchange = createExchange({ baseUrl: `http://127.0.0.1:${port}`, retry: false, timeoutMs: 60_000 });
  const before = process.memoryUsage().rss;
  let maxGrowth = 0;
  for (let request = 0; request < 256; request += 1) exchange.public.markets().subscribe({ error: () => undefined });
  for (let times = 0; times < 100; times += 1) {
    await sleep(50);
    maxGrowth = Math.max(maxGrowth, process.memoryUsage().rss - before);
  }
  server.kill();
  process.stdout.write(String(maxGrowth));
  process.exit();
}

if (process.argv[2] === 'serve') serve();
else await measure();
