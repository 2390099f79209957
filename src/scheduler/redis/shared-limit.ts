// The permits of one rate limit, shared over Redis: what this process claims, and what it may use of what Redis has
// granted. The rate limiter bounds them by the process's own limit, whatever Redis says. Bottleneck's own cluster is not
// used: it stores the clocks of the processes, and each of its values would have to be checked.
import { localSource } from '../leases.js';
import { forgetMsOf, type Permits, type PermitSource, type PermitTerms } from '../permit.js';
import type { RateLimiter } from '../rate-limiter.js';
import type { Claim, Division, Share } from './division.js';

/** The times of shared permits, milliseconds. */
interface Times {
  /** Permits count for this time after the last call of their process. */
  readonly lifeMs: number;
  /** Permits in hand may be used for this time after a call. */
  readonly usableMs: number;
  /** While permits are held, a call is due this often. */
  readonly beatMs: number;
  /** While requests wait or permits return, a call is due this often. */
  readonly pollMs: number;
  /** A rate limit without a request or a permit in use for this time rests: no permit is kept in hand. */
  readonly restAfterMs: number;
}

/** Requests that come more often than this, and a window apart, find permits in hand. */
const maxRestAfterMs = 30_000;

/**
 * Permits count long enough for a late response and one window after it. They count for less than two windows where the
 * window is not shorter than `lateArrivalMs`: the permits of a process that died are missing for that long.
 */
function timesOf({ windowMs, lateArrivalMs }: PermitTerms): Times {
  const lifeMs = windowMs + 0.95 * Math.max(windowMs, lateArrivalMs);
  const usableMs = 0.3 * (lifeMs - forgetMsOf(windowMs));
  return {
    lifeMs,
    usableMs,
    beatMs: Math.min(1000, usableMs / 3),
    pollMs: Math.min(50, Math.max(10, windowMs / 200)),
    restAfterMs: Math.min(2 * lifeMs, maxRestAfterMs),
  };
}

/** Few permits are kept in hand, because the other processes cannot use them; a small limit has none to spare. */
const inHandBounds = { max: 16, share: 1 / 125 };
/** How many permits are requested or returned at once, as a share of all; 16 times as many are wanted at most. */
const stepShares = { all: 1 / 100, urgent: 1 / 16 };
const maxStep = 32;
const maxStepsWanted = 16;

/** The permits of one part of a rate limit that Redis has granted to this process. */
class SharedPermits implements Permits {
  readonly part: Claim['part'];
  /** The permits of this process's own limit. */
  readonly own: number;
  readonly #onChange: () => void;
  readonly #usableUntil: () => number;
  /** The lowest number of permits that a process claims. */
  permits: number;
  /** Permits that no process holds. */
  free = 0;
  wanted = 0;
  out = 0;
  isResting = false;
  #inHand = 0;
  #claimed = 0;

  /**
   * @param onChange called when permits are wanted or were put back
   * @param usableUntil until when the permits in hand may be used, by `performance.now()`
   */
  constructor(part: Claim['part'], own: number, onChange: () => void, usableUntil: () => number) {
    this.part = part;
    this.own = own;
    this.permits = own;
    this.#onChange = onChange;
    this.#usableUntil = usableUntil;
  }

  get available(): number {
    return this.#inHand > 0 && performance.now() < this.#usableUntil() ? this.#inHand : 0;
  }

  get held(): number {
    return this.#inHand + this.out;
  }

  get hasChanged(): boolean {
    return this.wanted > 0 || this.held !== this.#claimed;
  }

  take(): number {
    this.out += 1;
    this.#inHand = Math.max(0, this.#inHand - 1);
    return this.#usableUntil();
  }

  putBack(count: number, isUnused = false): void {
    this.out -= count;
    if (isUnused) this.#inHand += count;
    else this.#onChange();
  }

  want(waiting: number): void {
    const step = Math.min(Math.max(Math.floor(this.permits * stepShares[this.part]), 1), maxStep);
    const { max, share } = inHandBounds;
    const inHand = this.isResting ? 0 : Math.min(step, max, Math.floor(this.permits * share));
    const enough = waiting + Math.ceil(inHand / 2);
    const tooMuch = waiting + inHand + (this.isResting ? 0 : step);
    this.wanted = this.#inHand < enough ? Math.min(waiting + inHand - this.#inHand, maxStepsWanted * step) : 0;
    if (this.#inHand > tooMuch) this.#inHand = waiting + inHand;
    if (this.hasChanged) this.#onChange();
  }

  claim(): { readonly held: number; readonly wanted: number } {
    this.#claimed = this.held;
    return { held: this.held, wanted: this.wanted };
  }

  grant({ granted, permits, free }: Share): void {
    this.permits = Math.min(this.own, permits);
    this.free = free;
    this.wanted = Math.max(0, this.wanted - granted);
    this.#claimed += granted;
    this.#inHand += granted;
  }

  /** Keeps only the permits that are out. */
  dropHand(): void {
    this.#inHand = 0;
  }
}

export class SharedLimit implements PermitSource {
  readonly limiter: RateLimiter;
  readonly times: Times;
  /** Redis must know all grants of this time before any permit is granted. */
  readonly waitMs: number;
  readonly main: SharedPermits;
  readonly #urgent: SharedPermits;
  readonly #onChange: () => void;
  /** The last division: by the clock of Redis, and when its call was sent and had its response. */
  #divided = { now: 0, sentAt: Number.NEGATIVE_INFINITY, at: 0 };
  /** Where the rate limiter takes its permits from. */
  #use: 'shared' | 'alone' | undefined;
  #usedAt = performance.now();
  /** When the cool-downs end, by the clock of Redis: that this process announced, as last claimed, and of others. */
  readonly #closedUntil = { announced: 0, claimed: 0, heard: 0 };
  /** The permits of the share while Redis is unavailable; kept until they have returned. */
  #alone: PermitSource | undefined;
  #aloneTimer: NodeJS.Timeout | undefined;

  /**
   * @param noticedMs how long other processes may use their shares after Redis is back
   * @param onChange called when permits are wanted, or were put back
   */
  constructor(limiter: RateLimiter, noticedMs: number, onChange: () => void) {
    const { terms } = limiter;
    this.limiter = limiter;
    this.#onChange = onChange;
    this.times = timesOf(terms);
    this.waitMs = Math.ceil(this.times.lifeMs) + noticedMs;
    const usableUntil = () => (this.#use === 'shared' ? this.#divided.sentAt + this.times.usableMs : 0);
    this.main = new SharedPermits('all', terms.limit - terms.reserved, onChange, usableUntil);
    this.#urgent = new SharedPermits('urgent', terms.reserved, onChange, usableUntil);
  }

  /** The limit that applies to all processes now: the lowest that one of them claims. */
  get limit(): number {
    return this.main.permits + this.#urgent.permits;
  }

  get reserve(): SharedPermits | undefined {
    return this.#urgent.permits === 0 ? undefined : this.#urgent;
  }

  /** Whether the rate limiter takes its permits from here. */
  get isOpen(): boolean {
    return this.#use === 'shared';
  }

  get isHeld(): boolean {
    return this.main.held + this.#urgent.held > 0;
  }

  /** Whether permits are wanted, or something has changed after the last claim. */
  get hasChanged(): boolean {
    const { announced, claimed } = this.#closedUntil;
    return announced !== claimed || this.main.hasChanged || this.#urgent.hasChanged;
  }

  free(): number {
    const free = [this.main, this.#urgent].reduce((sum, part) => sum + part.free + part.available, 0);
    return Math.min(free, this.limiter.terms.limit);
  }

  announceCoolDown(ms: number): void {
    const { now, at } = this.#divided;
    this.#closedUntil.announced = Math.ceil(now + performance.now() - at + ms);
    this.#onChange();
  }

  claims(now: number): readonly Claim[] {
    const { name: rateLimit, windowMs } = this.limiter.terms;
    const { lifeMs, restAfterMs } = this.times;
    const parts = [this.main, this.#urgent];
    if (parts.some(({ out, wanted }) => out > 0 || wanted > 0)) this.#usedAt = now;
    this.#closedUntil.claimed = this.#closedUntil.announced;
    return parts.map((part) => {
      part.isResting = now - this.#usedAt > restAfterMs;
      const { held, wanted } = part.claim();
      const alone = part === this.main ? this.#alone?.main : this.#alone?.reserve;
      return {
        rateLimit,
        part: part.part,
        permits: part.own,
        windowMs,
        lifeMs,
        waitMs: this.waitMs,
        held: held + (alone?.out ?? 0),
        wanted,
        closedUntil: this.#closedUntil.claimed,
      };
    });
  }

  /** Takes the granted permits. */
  divided([all, urgent]: readonly Share[], { now }: Division, sentAt: number, isOpen: boolean): void {
    const at = performance.now();
    // Redis may have granted the permits in hand to other processes.
    const mayBeForgotten = !isOpen || at >= this.#divided.sentAt + 0.95 * this.times.lifeMs;
    if (mayBeForgotten) for (const part of [this.main, this.#urgent]) part.dropHand();
    this.#divided = { now, sentAt, at };
    if (all === undefined || urgent === undefined) return;
    this.main.grant(all);
    this.#urgent.grant(urgent);
    const { closedUntil } = all;
    if (closedUntil <= Math.max(now, this.#closedUntil.heard)) return;
    this.#closedUntil.heard = closedUntil;
    this.limiter.coolDown(closedUntil - now);
  }

  /** Takes permits from Redis, also those that it has granted just now. */
  useShared(): void {
    if (this.#use === 'shared') this.limiter.pump();
    else this.#change('shared', this);
  }

  /** Takes no permits. */
  useNone(): void {
    clearTimeout(this.#aloneTimer);
    if (this.#use !== undefined) this.#change(undefined, undefined);
  }

  /** Starts to use this share when all permits that were granted over Redis have returned. */
  useShareLater(share: number, downSince: number, onUse: () => void): void {
    clearTimeout(this.#aloneTimer);
    if (this.#use === 'alone') return;
    // The other processes take their shares of the limit that applied to all, too.
    const limit = Math.floor(this.limit * share);
    const reserved = Math.floor(this.#urgent.permits * share);
    if (limit === 0) return;
    const inMs = Math.max(0, downSince + this.times.lifeMs - performance.now());
    this.#aloneTimer = setTimeout(() => {
      const { main, reserve } = this.#alone ?? {};
      // Permits of the share may still count from the last time.
      if ((main?.out ?? 0) + (reserve?.out ?? 0) === 0)
        this.#alone = localSource({ ...this.limiter.terms, limit, reserved }, () => {
          this.limiter.pump();
        });
      this.#change('alone', this.#alone);
      onUse();
    }, inMs).unref();
  }

  #change(use: 'shared' | 'alone' | undefined, source: PermitSource | undefined): void {
    this.#use = use;
    this.limiter.use(source);
  }
}
