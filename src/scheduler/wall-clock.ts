// Bottleneck goes by the wall clock. When that is set back, its jobs wait until it has caught up: minutes, or hours.

/** A smaller step delays a lease by less than anyone would notice; clocks that are kept right are slewed by less. */
const noticedMs = 250;

/** Notices steps of the wall clock, by the monotonic one. */
export class WallClock {
  #offset = offset();

  /**
   * By how much the wall clock was set forward (or back, below zero) since it was last asked, milliseconds; 0 for small
   * steps.
   */
  step(): number {
    const step = offset() - this.#offset;
    if (Math.abs(step) < noticedMs) return 0;
    this.#offset += step;
    return step;
  }
}

function offset(): number {
  return Date.now() - performance.now();
}
