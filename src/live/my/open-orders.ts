// Open orders as immutable maps: one that shares its entries with the one before, and one of several markets.

/** A map that is read only, by its entries and what it finds. */
abstract class OrderMap<Order> implements ReadonlyMap<number, Order> {
  abstract readonly size: number;
  abstract get(id: number): Order | undefined;
  abstract entries(): Generator<[number, Order], undefined>;

  has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  forEach(use: (order: Order, id: number, orders: ReadonlyMap<number, Order>) => void): void {
    for (const [id, order] of this.entries()) use(order, id, this);
  }

  *keys(): Generator<number, undefined> {
    for (const [id] of this.entries()) yield id;
    return undefined;
  }

  *values(): Generator<Order, undefined> {
    for (const [, order] of this.entries()) yield order;
    return undefined;
  }

  [Symbol.iterator](): Generator<[number, Order], undefined> {
    return this.entries();
  }
}

/** Changes that are kept apart from the others, before all are copied once. */
const maxChanges = 128;

/** The open orders of a market. A change makes a new map, and costs the same however many orders there are. */
export class OpenOrders<Order> extends OrderMap<Order> {
  readonly size: number;
  readonly #base: ReadonlyMap<number, Order>;
  /** What differs from the base; `undefined`: the order is open no more. */
  readonly #changes: ReadonlyMap<number, Order | undefined>;

  private constructor(base: ReadonlyMap<number, Order>, changes: ReadonlyMap<number, Order | undefined>, size: number) {
    super();
    this.#base = base;
    this.#changes = changes;
    this.size = size;
  }

  static of<Order>(orders: Iterable<readonly [number, Order]>): OpenOrders<Order> {
    const base = new Map(orders);
    return new OpenOrders(base, new Map<number, Order | undefined>(), base.size);
  }

  /** The map with these changes; `undefined`: the order is open no more. Entries keep their place; new ones come last. */
  with(changed: readonly (readonly [id: number, order: Order | undefined])[]): OpenOrders<Order> {
    if (changed.length === 0) return this;
    const changes = new Map(this.#changes);
    let { size } = this;
    for (const [id, order] of changed) {
      const wasOpen = changes.has(id) ? changes.get(id) !== undefined : this.#base.has(id);
      changes.set(id, order);
      size += (order === undefined ? 0 : 1) - (wasOpen ? 1 : 0);
    }
    const next = new OpenOrders(this.#base, changes, size);
    return changes.size > maxChanges ? OpenOrders.of(next) : next;
  }

  get(id: number): Order | undefined {
    return this.#changes.has(id) ? this.#changes.get(id) : this.#base.get(id);
  }

  *entries(): Generator<[number, Order], undefined> {
    for (const id of this.#base.keys()) {
      const order = this.get(id);
      if (order !== undefined) yield [id, order];
    }
    for (const [id, order] of this.#changes) if (order !== undefined && !this.#base.has(id)) yield [id, order];
    return undefined;
  }
}

/** The open orders of several markets. */
export class JoinedOrders<Order> extends OrderMap<Order> {
  readonly size: number;
  readonly #parts: readonly ReadonlyMap<number, Order>[];

  constructor(parts: readonly ReadonlyMap<number, Order>[]) {
    super();
    this.#parts = parts;
    this.size = parts.reduce((sum, { size }) => sum + size, 0);
  }

  get(id: number): Order | undefined {
    return this.#parts.find((part) => part.has(id))?.get(id);
  }

  *entries(): Generator<[number, Order], undefined> {
    for (const part of this.#parts) yield* part;
    return undefined;
  }
}
