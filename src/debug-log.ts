// DEBUG=exchange-rx prints the events of every client, one line each.
import type { Observable } from 'rxjs';
import type { ClientEvent } from './client/index.js';
import { replaceUnprintable } from './model/printable.js';

/** Whether the environment variable `DEBUG` names this package. */
export function isDebugged(value: string | undefined): boolean {
  return (value ?? '').split(/[\s,]+/).some((name) => name === 'exchange-rx' || name === '*');
}

/** Prints each event to stderr: time, type and fields. An event holds no secret, no parameter and no body. */
export function logEvents(events$: Observable<ClientEvent>): void {
  events$.subscribe((event) => {
    process.stderr.write(`${new Date().toISOString()} exchange-rx ${describeEvent(event)}\n`);
  });
}

/** `response endpoint=public.ping call=1 attempt=1 durationMs=41.3 result=ok status=200`. */
function describeEvent({ type, ...fields }: ClientEvent): string {
  const shown = Object.entries<unknown>(fields).map(([name, value]) => `${name}=${describeValue(value)}`);
  return replaceUnprintable([type, ...shown].join(' '), () => '?');
}

function describeValue(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 10) / 10);
  return typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value);
}
