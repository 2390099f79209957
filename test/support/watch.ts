import type { Observable } from 'rxjs';

/** Subscribes, and keeps what comes: the values, and the error that ends them. */
export function watch(source: Observable<unknown>): unknown[] {
  const reported: unknown[] = [];
  source.subscribe({ next: (value) => reported.push(value), error: (error: unknown) => reported.push(error) });
  return reported;
}
