// Steps of the wall clock. Bottleneck uses the wall clock: when it is set back, jobs wait until it has caught up, for
// minutes or hours.

/** A smaller step delays a lease by a negligible time; NTP slews a clock by less. */
const minStepMs = 250;

/** Detects steps of the wall clock by the monotonic clock. */
export class WallClock {
  #offset = offset();

  /** The step since the last call, milliseconds: forward above 0, back below 0; 0 for a small step. */
  step(): number {
    const step = offset() - this.#offset;
    if (Math.abs(step) < minStepMs) return 0;
    this.#offset += step;
    return step;
  }
}

function offset(): number {
  return Date.now() - performance.now();
}
