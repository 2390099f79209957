/** Counts what happens in a second, with two counters: the second that runs, and the one before it. */
export class Rate {
  #second = 0;
  #count = 0;
  #before = 0;

  /** One more, at this time in milliseconds. */
  count(now: number): void {
    this.#turn(now);
    this.#count += 1;
  }

  /** How many in the last second, about: of the second before, the part that is less than a second ago. */
  perSecond(now: number): number {
    this.#turn(now);
    const passed = (now % 1000) / 1000;
    return Math.round(this.#count + this.#before * (1 - passed));
  }

  #turn(now: number): void {
    const second = Math.floor(now / 1000);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#count : 0;
    this.#count = 0;
    this.#second = second;
  }
}
