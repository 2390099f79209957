// Events per second, with two counters: the current second and the one before.

export class Rate {
  #second = 0;
  #count = 0;
  #previous = 0;

  /** Counts one event at this time, milliseconds. */
  count(now: number): void {
    this.#turn(now);
    this.#count += 1;
  }

  /** About how many events there were in the last 1000 ms: part of the previous second counts by its overlap. */
  perSecond(now: number): number {
    this.#turn(now);
    const passed = (now % 1000) / 1000;
    return Math.round(this.#count + this.#previous * (1 - passed));
  }

  #turn(now: number): void {
    const second = Math.floor(now / 1000);
    if (second === this.#second) return;
    this.#previous = second === this.#second + 1 ? this.#count : 0;
    this.#count = 0;
    this.#second = second;
  }
}
