// What a client keeps of one order beyond a subscription.
import type { OrderClaim, OrderRegistry } from './order-registry.js';
import { RequestError } from '../errors/index.js';

/** What the client keeps of the order beyond a subscription, in its registry. */
export class OrderRecord<Output> {
  readonly #registry: OrderRegistry;
  readonly #claim: OrderClaim;

  constructor(registry: OrderRegistry, claim: OrderClaim) {
    this.#registry = registry;
    this.#claim = claim;
  }

  /** Claims the identifier; throws {@link RequestError} when another order of the client has it. */
  claim(): void {
    const { client_order_id, endpoint, market } = this.#claim;
    if (this.#registry.claim(this.#claim)) return;
    const message = `"${client_order_id}" is already in use: an order of this client in ${market} has it`;
    throw new RequestError(endpoint, [{ field: 'client_order_id', message }]);
  }

  /**
   * The order was sent at this time, by the local clock, and its outcome is not known; `undefined`: the order is known
   * not to exist.
   */
  doubt(sentAt: number | undefined): void {
    if (sentAt === undefined) this.#registry.decide(this.#claim);
    else this.#registry.doubt(this.#claim, sentAt);
  }

  /** The order was placed; returns whether the response has the identifier that was sent. */
  place(output: Output): boolean {
    const { client_order_id, endpoint } = this.#claim;
    const isIdentified = isRecord(output) && output['client_order_id'] === client_order_id;
    this.#registry.evidence.add(endpoint, isIdentified);
    this.#registry.place(this.#claim, output);
    return isIdentified;
  }

  /** No subscriber is left; whether the order is in doubt. */
  leave(isInDoubt: boolean): void {
    if (isInDoubt) this.#registry.leave(this.#claim);
    else this.#registry.free(this.#claim);
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
