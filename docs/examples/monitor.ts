// A health monitor that logs each transition between up, degraded and down.
import { changes, createExchange, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { take } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', times: 3 }); // an outage to report

watchHealth(exchange, { everyMs: 50, slowMs: 250 })
  .pipe(
    changes((before, after) => before.state === after.state),
    take(4),
  )
  .subscribe(({ after }) => console.log(after.state, after.reason ?? '', after.error?.message ?? ''));
