// What a client keeps of one order beyond a subscription.
import type { OrderClaim, OrderRegistry } from './order-registry.js';
import { RequestError } from '../errors/index.js';

/** What the client keeps of the order beyond a subscription. */
export interface OrderRecord<Output> {
  /** Claims the identifier; throws {@link RequestError} when another order of the client has it. */
  claim(): void;
  /**
   * The order was sent at this time, by the local clock, and its outcome is not known; `undefined`: the order is known
   * not to exist.
   */
  doubt(sentAt: number | undefined): void;
  /** The order was placed; returns whether the response has the identifier that was sent. */
  place(output: Output): boolean;
  /** No subscriber is left; whether the order is in doubt. */
  leave(isInDoubt: boolean): void;
}

/** The record of an order, in the registry of its client. */
export function recordOf<Output>(registry: OrderRegistry, claim: OrderClaim): OrderRecord<Output> {
  return {
    claim() {
      if (registry.claim(claim)) return;
      const message = `"${claim.client_order_id}" is already in use: an order of this client in ${claim.market} has it`;
      throw new RequestError(claim.endpoint, [{ field: 'client_order_id', message }]);
    },
    doubt(sentAt) {
      if (sentAt === undefined) registry.decide(claim);
      else registry.doubt(claim, sentAt);
    },
    place(output) {
      const isIdentified = isRecord(output) && output['client_order_id'] === claim.client_order_id;
      registry.evidence.add(claim.endpoint, isIdentified);
      registry.place(claim, output);
      return isIdentified;
    },
    leave(isInDoubt) {
      if (isInDoubt) registry.leave(claim);
      else registry.free(claim);
    },
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
