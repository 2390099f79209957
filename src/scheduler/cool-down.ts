// What a 429 does to a group: it is closed until the exchange can have forgotten, then opens slowly. We had a permit
// for every request, so a 429 means that someone else sends from the same address, or that the limit is not what we
// think. While it is not open, an urgent request is let through now and then: a cancel must not wait for a day because
// a proxy says so.
import { forgetMsOf } from './forget.js';

/** A group opens over this many windows; twice as many when it is closed again while it opens, and so on. */
const windowsToOpen = 2;
const maxWindowsToOpen = 32;

export class Closure {
  readonly #limit: number;
  readonly #windowMs: number;
  #closedUntil = Number.NEGATIVE_INFINITY;
  #openingMs = 0;
  #probeAt = Number.NEGATIVE_INFINITY;
  #probes = 0;
  #closings = 0;
  #occasions = 0;
  #occasionAt = Number.NEGATIVE_INFINITY;

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Milliseconds until it opens; 0 when it is open, or opening. */
  closedForMs(now: number): number {
    return Math.max(0, this.#closedUntil - now);
  }

  /** How often it was closed. */
  get closings(): number {
    return this.#closings;
  }

  /** How many permits may be in use now: none while it is closed, more and more while it opens. */
  allowed(now: number): number {
    const openFor = now - this.#closedUntil;
    if (openFor < 0) return 0;
    if (openFor >= this.#openingMs) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor((this.#limit * openFor) / this.#openingMs));
  }

  /** Milliseconds until an urgent request may be sent though the group is not open: one in each window. */
  probeInMs(now: number): number {
    return Math.max(0, this.#probeAt - now);
  }

  /** An urgent request is sent though the group is not open. Returns which of them it is. */
  probe(now: number): number {
    this.#probeAt = now + forgetMsOf(this.#windowMs);
    this.#probes += 1;
    return this.#probes;
  }

  /** It was not sent: another may be, unless one has been since, or the group was closed again. */
  giveProbeBack(probe: number): void {
    if (probe === this.#probes) this.#probeAt = Number.NEGATIVE_INFINITY;
  }

  /** Ends the time in which it is closed: it opens slowly from now on. */
  reopen(now: number): void {
    this.#closedUntil = Math.min(this.#closedUntil, now);
  }

  /**
   * On how many occasions it was closed: requests that were on the wire together are one, however short they were to
   * wait.
   */
  get occasions(): number {
    return this.#occasions;
  }

  /**
   * Closes it; of several closures the longest counts.
   *
   * @param since how many occasions there had been when the request was sent; of other processes' that is not known,
   *   and one in a window counts
   */
  close(now: number, ms: number, since?: number): void {
    const isSame = since === undefined ? now - this.#occasionAt < forgetMsOf(this.#windowMs) : since < this.#occasions;
    if (this.closedForMs(now) === 0 && !isSame) {
      const wasOpening = this.allowed(now) < this.#limit;
      const windows = wasOpening ? Math.min((2 * this.#openingMs) / this.#windowMs, maxWindowsToOpen) : windowsToOpen;
      this.#openingMs = windows * this.#windowMs;
      this.#occasions += 1;
      this.#occasionAt = now;
    }
    this.#closedUntil = Math.max(this.#closedUntil, now + ms);
    this.#closings += 1;
    this.probe(now);
  }
}
