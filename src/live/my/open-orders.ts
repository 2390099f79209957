// Open orders as immutable maps, which share their entries with the maps that they are made of.

/** Changes that are kept apart from the others, before all are copied once. */
const maxChanges = 128;

/** The open orders of a market, or of several. A change costs the same however many orders there are. */
export class OpenOrders<Order> implements ReadonlyMap<number, Order> {
  readonly size: number;
  /** A later one wins; `undefined`: the order is open no more. */
  readonly #layers: readonly ReadonlyMap<number, Order | undefined>[];

  /** @param layers maps of different orders, such as those of several markets */
  constructor(
    layers: readonly ReadonlyMap<number, Order | undefined>[] = [],
    size = layers.reduce((sum, layer) => sum + layer.size, 0),
  ) {
    this.#layers = layers;
    this.size = size;
  }

  /** The map with these changes; `undefined`: the order is open no more. Entries keep their place; new ones come last. */
  with(changed: readonly (readonly [id: number, order: Order | undefined])[]): OpenOrders<Order> {
    if (changed.length === 0) return this;
    const [base = new Map<number, Order>(), before] = this.#layers;
    const changes = new Map(before);
    let { size } = this;
    for (const [id, order] of changed) {
      const wasOpen = (changes.has(id) ? changes.get(id) : base.get(id)) !== undefined;
      changes.set(id, order);
      size += Number(order !== undefined) - Number(wasOpen);
    }
    const next = new OpenOrders([base, changes], size);
    return changes.size > maxChanges ? new OpenOrders([new Map(next)]) : next;
  }

  get(id: number): Order | undefined {
    return this.#layers.findLast((layer) => layer.has(id))?.get(id);
  }

  has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  forEach(use: (order: Order, id: number, orders: ReadonlyMap<number, Order>) => void): void {
    for (const [id, order] of this.entries()) use(order, id, this);
  }

  *entries(): Generator<[number, Order], undefined> {
    for (const [index, layer] of this.#layers.entries())
      for (const id of layer.keys()) {
        const order = this.get(id);
        const isEarlier = this.#layers.slice(0, index).some((earlier) => earlier.has(id));
        if (order !== undefined && !isEarlier) yield [id, order];
      }
    return undefined;
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
