// The rule of requests that name one order: by the exchange's identifier, or by the caller's.
import * as v from 'valibot';

interface Reference {
  readonly order_id?: number;
  readonly client_order_id?: string;
}

/** Exactly one of `order_id` and `client_order_id` is required. */
export function oneIdentifier<Fields extends Reference>(): v.RawCheckAction<Fields> {
  return v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { order_id, client_order_id } = dataset.value;
    if ((order_id === undefined) !== (client_order_id === undefined)) return;
    const message =
      order_id === undefined ? 'or client_order_id is required' : 'cannot be combined with client_order_id';
    const input: Record<string, unknown> = Object.fromEntries(Object.entries(dataset.value));
    addIssue({ message, path: [{ type: 'object', origin: 'value', input, key: 'order_id', value: order_id }] });
  });
}
