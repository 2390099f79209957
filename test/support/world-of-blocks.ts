// Runs blocks of documents in a worker. What a block declares without a value (`declare const exchange: Exchange`) is a
// global here.
import { interval, map, of } from 'rxjs';
import { parentPort, workerData } from 'node:worker_threads';
import { createExchange, createScheduler } from './exchange-of-blocks.js';

Object.assign(globalThis, {
  exchange: createExchange({
    baseUrl: 'https://exchange.example',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    allowWithdrawals: true,
    // A block may show a call without its subscription.
    warnings: false,
    // A block's own client of the same address may have other limits.
    scheduler: createScheduler(),
  }),
  price$: interval(50).pipe(map((tick) => String(60_000 + tick))),
  transfer: () => of('done'),
  readPortfolio: () => Promise.resolve('1 BTC'),
});

parentPort?.postMessage('ready');
await Promise.all((workerData as readonly string[]).map((block) => import(block)));
