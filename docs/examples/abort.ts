// AbortSignals in both directions: a signal ends a stream, and unsubscribing aborts a task that takes a signal.
import { createExchange, fromAbortable, poll, takeUntilAborted } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { timer, takeUntil } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

// In: a signal from your framework, such as that of a closed HTTP request.
const controller = new AbortController();
setTimeout(() => controller.abort(new Error('the page was closed')), 200);

exchange.public
  .ping()
  .pipe(poll({ everyMs: 20 }), takeUntilAborted(controller.signal))
  .subscribe({ error: (error: Error) => console.log('ended:', error.message) });

// Out: unsubscribing aborts the sleep.
const slow$ = fromAbortable((signal) => sleep(60_000, 'done', { signal }));
slow$.pipe(takeUntil(timer(300))).subscribe({ complete: () => console.log('unsubscribed; the sleep is aborted') });
