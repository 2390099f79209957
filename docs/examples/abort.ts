// AbortSignals in and out: a signal that ends a stream, and a stream that ends what takes a signal.
import { takeUntilAborted, createExchange, fromAbortable, poll, type Exchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { lastValueFrom, take, takeUntil, timer } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';

const sandbox = createSandbox();
const exchange: Exchange = createExchange(sandbox.clientOptions());

// In: whatever your framework gives you, such as the signal of a request that was closed.
const controller = new AbortController();
setTimeout(() => {
  controller.abort(new Error('the page was closed'));
}, 200);
await lastValueFrom(exchange.public.ping().pipe(poll({ everyMs: 20 }), takeUntilAborted(controller.signal))).catch((error: unknown) => {
  console.log('ended:', error instanceof Error ? error.message : error);
});

// Out: what takes a signal is aborted when its subscriber leaves.
const slow$ = fromAbortable(async (signal) => {
  await sleep(60_000, undefined, { signal });
  return 'never';
});
slow$.pipe(takeUntil(timer(100)), take(1)).subscribe({ complete: () => console.log('left, and the sleep was aborted') });
