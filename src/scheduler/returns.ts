// Permits on their way back. Those that come back at about the same time share a timer: a slot.

/** A permit comes back up to a slot later than it could: the price of one timer a slot instead of one a permit. */
const slotsPerWindow = 200;
const maxSlotMs = 50;

/** What comes back in one slot: how many permits, by where they came from. */
type Slot<Origin> = Map<Origin, number>;

/** Brings permits back when their time has come, and never before. */
export class Returns<Origin> {
  readonly #slots = new Map<number, Slot<Origin>>();
  readonly #slotMs: number;
  readonly #onReturn: (slot: ReadonlyMap<Origin, number>) => void;

  constructor(windowMs: number, onReturn: (slot: ReadonlyMap<Origin, number>) => void) {
    this.#slotMs = Math.min(maxSlotMs, windowMs / slotsPerWindow);
    this.#onReturn = onReturn;
  }

  /** Brings permits back this much later, at the end of the slot. */
  after(ms: number, origin: Origin, count = 1): void {
    const index = Math.ceil((performance.now() + ms) / this.#slotMs);
    let slot = this.#slots.get(index);
    if (slot === undefined) {
      slot = new Map();
      this.#slots.set(index, slot);
      this.#wait(index, slot);
    }
    slot.set(origin, (slot.get(origin) ?? 0) + count);
  }

  /**
   * Permits on their way back do not keep the process alive. Timers fire up to a millisecond early, so each looks at
   * the clock.
   */
  #wait(index: number, slot: Slot<Origin>): void {
    const dueMs = index * this.#slotMs - performance.now();
    setTimeout(() => {
      if (performance.now() < index * this.#slotMs) {
        this.#wait(index, slot);
        return;
      }
      this.#slots.delete(index);
      this.#onReturn(slot);
    }, Math.ceil(dueMs)).unref();
  }
}
