// Permits that return after their request: when, and with one timer for all that return at about the same time.

/**
 * Timers fire up to a millisecond early and clocks differ: the guard is this share of the window, and 5 ms at least.
 */
const guardShare = 0.001;
const minGuardMs = 5;

/**
 * How long after the response a permit returns: one window and a guard. By then the exchange has forgotten the request.
 */
export function forgetMsOf(windowMs: number): number {
  return windowMs + Math.max(minGuardMs, windowMs * guardShare);
}

/** A permit returns up to one slot late: the price of one timer per slot instead of one per permit. */
const slotsPerWindow = 200;
const maxSlotMs = 50;

/** The permits that return in one slot, counted by their origin. */
type Slot<Origin> = Map<Origin, number>;

/** Returns permits when their time has come, and never before. */
export class Returns<Origin> {
  readonly #slots = new Map<number, Slot<Origin>>();
  readonly #slotMs: number;
  readonly #onReturn: (slot: ReadonlyMap<Origin, number>) => void;

  constructor(windowMs: number, onReturn: (slot: ReadonlyMap<Origin, number>) => void) {
    this.#slotMs = Math.min(maxSlotMs, windowMs / slotsPerWindow);
    this.#onReturn = onReturn;
  }

  /** Returns permits after this time, at the end of the slot. */
  after(ms: number, origin: Origin): void {
    const index = Math.ceil((performance.now() + ms) / this.#slotMs);
    let slot = this.#slots.get(index);
    if (slot === undefined) {
      slot = new Map();
      this.#slots.set(index, slot);
      this.#wait(index, slot);
    }
    slot.set(origin, (slot.get(origin) ?? 0) + 1);
  }

  /** Does not keep the process alive. Timers fire up to a millisecond early, so each one checks the clock. */
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
