// A health monitor that logs each transition between up, degraded and down.
import { createExchange, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { distinctUntilKeyChanged, take } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', times: 3 }); // an outage to report

watchHealth(exchange, { everyMs: 50, slowMs: 250 })
  .pipe(distinctUntilKeyChanged('state'), take(4))
  .subscribe(({ state, reason, error }) => console.log(state, reason ?? '', error?.message ?? ''));
