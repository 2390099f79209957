// What an observable emits, kept as it comes.
import type { ClientEvent, Exchange } from 'exchange-rx';
import type { Observable } from 'rxjs';

/** Subscribes, and keeps what comes: the values, and the error that ends them. */
export function watch(source: Observable<unknown>): unknown[] {
  const reported: unknown[] = [];
  source.subscribe({ next: (value) => reported.push(value), error: (error: unknown) => reported.push(error) });
  return reported;
}

/** Subscribes, and keeps the values, or what `read` makes of each. */
export function collected<Value>(source: Observable<Value>): Value[];
export function collected<Value, Read>(source: Observable<Value>, read: (value: Value) => Read): Read[];
export function collected<Value>(source: Observable<Value>, read: (value: Value) => unknown = (value) => value) {
  const values: unknown[] = [];
  source.subscribe((value) => values.push(read(value)));
  return values;
}

/** Subscribes, and keeps the error. */
export function errorsOf(source: Observable<unknown>): unknown[] {
  return valuesAndErrors(source).errors;
}

/** Subscribes, and keeps the values, or what `read` makes of each, and the error. */
export function valuesAndErrors<Value, Read = Value>(
  source: Observable<Value>,
  read?: (value: Value) => Read,
): { readonly values: Read[]; readonly errors: unknown[] };
export function valuesAndErrors<Value>(
  source: Observable<Value>,
  read: (value: Value) => unknown = (value) => value,
): { readonly values: unknown[]; readonly errors: unknown[] } {
  const values: unknown[] = [];
  const errors: unknown[] = [];
  source.subscribe({ next: (value) => values.push(read(value)), error: (error: unknown) => errors.push(error) });
  return { values, errors };
}

/** The events of this type from now on. */
export function eventsOf<Type extends ClientEvent['type']>(
  { events$ }: Pick<Exchange, 'events$'>,
  type: Type,
): Extract<ClientEvent, { readonly type: Type }>[] {
  const events: Extract<ClientEvent, { readonly type: Type }>[] = [];
  const isOfType = (event: ClientEvent): event is Extract<ClientEvent, { readonly type: Type }> => event.type === type;
  events$.subscribe((event) => {
    if (isOfType(event)) events.push(event);
  });
  return events;
}
