// The cool-down of one rate limit after a 429: no permit is granted until the exchange can have forgotten what it
// counted, and few during the ramp-up that follows. Every request had a permit, so a 429 means that another program
// sends from the same address, or that the real limit is lower than the configured one. Urgent requests are sent as
// probes meanwhile, one in each window: a cancel must not wait for a day because a proxy's Retry-After says so.
import type { LimitWindow } from '../endpoint/index.js';

/** A ramp-up takes this many windows, and twice as many after a 429 that comes during a ramp-up. */
const rampUpWindows = 2;
const maxRampUpWindows = 32;
/** A proxy whose Retry-After is a day must not hold up cancels for a day. */
const maxCoolDownWindows = 6;
const rampUpStepMs = 20;

/** Timers fire up to a millisecond early and clocks differ: a guard is this share of the window, and 5 ms at least. */
const guardShare = 0.001;
const minGuardMs = 5;

/** A permit returns one window and a guard after the response: by then the exchange has forgotten the request. */
export function forgetMsOf(windowMs: number): number {
  return windowMs + Math.max(minGuardMs, windowMs * guardShare);
}

export class CoolDown {
  readonly #terms: LimitWindow;
  #endsAt = Number.NEGATIVE_INFINITY;
  #rampUpMs = 0;
  #incidentAt = Number.NEGATIVE_INFINITY;
  #nextProbeAt = Number.NEGATIVE_INFINITY;
  #probes = 0;

  constructor(terms: LimitWindow) {
    this.#terms = terms;
  }

  /** Milliseconds until the cool-down ends; 0 when there is none. */
  remainingMs(now: number): number {
    return Math.max(0, this.#endsAt - now);
  }

  /** How many permits may be in use now: 0 during the cool-down, more and more during the ramp-up, then any number. */
  maxInUse(now: number): number {
    const endedForMs = now - this.#endsAt;
    if (endedForMs < 0) return 0;
    if (endedForMs >= this.#rampUpMs) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor((this.#terms.limit * endedForMs) / this.#rampUpMs));
  }

  /** Whether an urgent request may be sent as a probe: one in each window. */
  canProbe(now: number): boolean {
    return now >= this.#nextProbeAt;
  }

  startProbe(now: number): number {
    this.#nextProbeAt = now + forgetMsOf(this.#terms.windowMs);
    this.#probes += 1;
    return this.#probes;
  }

  /** The probe was not sent: the next one may be sent now, unless a later probe or another 429 came first. */
  cancelProbe(probe: number): void {
    if (probe === this.#probes) this.#nextProbeAt = Number.NEGATIVE_INFINITY;
  }

  /** A probe has got a response. That of the last one ends the cool-down, unless another 429 came after it. */
  onProbed(probe: number, now: number): void {
    if (probe === this.#probes) this.#endsAt = Math.min(this.#endsAt, now);
  }

  /** Starts or extends a cool-down by what the exchange requests, by default one window: the longest counts. */
  start(now: number, requestedMs?: number): void {
    const { windowMs } = this.#terms;
    const forgetMs = forgetMsOf(windowMs);
    const requested = Math.min(requestedMs ?? forgetMs, maxCoolDownWindows * windowMs);
    // 429s of requests in flight together are one incident. One after a shorter cool-down shows that it was too short.
    const isIncident = this.remainingMs(now) === 0 && now - this.#incidentAt >= forgetMs;
    const ms = this.remainingMs(now) > 0 ? requested : Math.max(requested, this.#incidentAt + forgetMs - now);
    if (isIncident) {
      const isRampingUp = this.maxInUse(now) < Number.POSITIVE_INFINITY;
      const windows = isRampingUp ? Math.min((2 * this.#rampUpMs) / windowMs, maxRampUpWindows) : rampUpWindows;
      this.#rampUpMs = windows * windowMs;
      this.#incidentAt = now;
    }
    this.#endsAt = Math.max(this.#endsAt, now + ms);
    this.startProbe(now);
  }

  /** Milliseconds until more requests may be sent; Infinity when any number may be sent now. */
  moreInMs(now: number, isUrgent: boolean): number {
    if (this.maxInUse(now) === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    const stepMs = Math.max(Math.ceil(this.remainingMs(now)), rampUpStepMs);
    return isUrgent && !this.canProbe(now) ? Math.min(stepMs, Math.ceil(this.#nextProbeAt - now)) : stepMs;
  }
}
