// The cool-down of one rate limit after a 429: no permit is granted until the exchange can have forgotten what it
// counted, and few during the ramp-up that follows. Every request had a permit, so a 429 means that another program
// sends from the same address, or that the real limit is lower than the configured one. Urgent requests are sent as
// probes meanwhile, one in each window: a cancel must not wait for a day because a proxy's Retry-After says so.
import { forgetMsOf } from './returns.js';

/** A ramp-up takes this many windows, and twice as many after a 429 that comes during a ramp-up. */
const rampUpWindows = 2;
const maxRampUpWindows = 32;

export class CoolDown {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #maxMs: number;
  #endsAt = Number.NEGATIVE_INFINITY;
  #rampUpMs = 0;
  #nextProbeAt = Number.NEGATIVE_INFINITY;
  #probes = 0;
  #starts = 0;
  #incidents = 0;
  #incidentAt = Number.NEGATIVE_INFINITY;

  /** @param maxMs the maximum length of a cool-down, milliseconds */
  constructor(limit: number, windowMs: number, maxMs = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#maxMs = maxMs;
  }

  /** Milliseconds until the cool-down ends; 0 when there is none. */
  remainingMs(now: number): number {
    return Math.max(0, this.#endsAt - now);
  }

  /** How many 429s have started or extended a cool-down. */
  get starts(): number {
    return this.#starts;
  }

  /** How many permits may be in use now: 0 during the cool-down, more and more during the ramp-up, then any number. */
  maxInUse(now: number): number {
    const endedForMs = now - this.#endsAt;
    if (endedForMs < 0) return 0;
    if (endedForMs >= this.#rampUpMs) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor((this.#limit * endedForMs) / this.#rampUpMs));
  }

  /** Milliseconds until an urgent request may be sent as a probe: one in each window. */
  nextProbeInMs(now: number): number {
    return Math.max(0, this.#nextProbeAt - now);
  }

  /** Counts a probe. Returns its number. */
  startProbe(now: number): number {
    this.#nextProbeAt = now + forgetMsOf(this.#windowMs);
    this.#probes += 1;
    return this.#probes;
  }

  /** The probe was not sent: the next one may be sent now, unless a later probe or another 429 came first. */
  cancelProbe(probe: number): void {
    if (probe === this.#probes) this.#nextProbeAt = Number.NEGATIVE_INFINITY;
  }

  /** Ends the cool-down: the ramp-up starts now. */
  end(now: number): void {
    this.#endsAt = Math.min(this.#endsAt, now);
  }

  /**
   * How many incidents there were. The 429s of requests that were in flight together are one, however short the wait.
   */
  get incidents(): number {
    return this.#incidents;
  }

  /**
   * Starts a cool-down, or extends the current one: the longest counts. Returns its length, milliseconds.
   *
   * @param requestedMs how long the exchange asks to wait. Default, also for an invalid value: one window
   * @param since {@link incidents} when the request was sent. Not known of another process, whose 429s are one incident
   *   per window
   */
  start(now: number, requestedMs?: number, since?: number): number {
    const ms = Math.min(isDuration(requestedMs) ? requestedMs : forgetMsOf(this.#windowMs), this.#maxMs);
    const isKnown = since === undefined ? now - this.#incidentAt < forgetMsOf(this.#windowMs) : since < this.#incidents;
    if (this.remainingMs(now) === 0 && !isKnown) {
      const isRampingUp = this.maxInUse(now) < this.#limit;
      const windows = isRampingUp ? Math.min((2 * this.#rampUpMs) / this.#windowMs, maxRampUpWindows) : rampUpWindows;
      this.#rampUpMs = windows * this.#windowMs;
      this.#incidents += 1;
      this.#incidentAt = now;
    }
    this.#endsAt = Math.max(this.#endsAt, now + ms);
    this.#starts += 1;
    this.startProbe(now);
    return ms;
  }
}

/** Callers without types, and other processes, may pass anything. */
function isDuration(ms: number | undefined): ms is number {
  return Number.isFinite(ms) && Number(ms) >= 0;
}
