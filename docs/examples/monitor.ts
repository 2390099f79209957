// A health monitor: says when the exchange goes down, becomes slow, and is back.
import { changes, createExchange, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { take } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', times: 3 }); // something to see

const transition$ = watchHealth(exchange, { everyMs: 50, slowMs: 250 }).pipe(changes((before, after) => before.state === after.state));
transition$.pipe(take(4)).subscribe(({ after }) => console.log(after.state, after.reason ?? '', after.error?.message ?? ''));
