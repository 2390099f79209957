// AbortSignals in both directions: a signal ends a stream, and unsubscribing aborts a task that takes a signal.
import { createExchange, poll } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { defer, finalize, from, fromEvent, takeUntil, timer } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());

// In: a signal from your framework, such as that of a closed HTTP request. A signal that has aborted already emits no
// event: check `signal.aborted` before.
const controller = new AbortController();
setTimeout(() => controller.abort(), 200);

exchange.public
  .ping()
  .pipe(poll({ everyMs: 20 }), takeUntil(fromEvent(controller.signal, 'abort')))
  .subscribe({ complete: () => console.log('ended by the signal') });

// Out: unsubscribing aborts the sleep.
const slow$ = defer(() => {
  const aborter = new AbortController();
  return from(sleep(60_000, 'done', { signal: aborter.signal })).pipe(finalize(() => aborter.abort()));
});
slow$.pipe(takeUntil(timer(300))).subscribe({ complete: () => console.log('unsubscribed; the sleep is aborted') });
