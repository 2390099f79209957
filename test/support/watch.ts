import type { Observable } from 'rxjs';

/** Subscribes, and keeps what comes: the values, and the error that ends them. */
export function watch(source: Observable<unknown>): unknown[] {
  const told: unknown[] = [];
  source.subscribe({ next: (value) => told.push(value), error: (error: unknown) => told.push(error) });
  return told;
}
