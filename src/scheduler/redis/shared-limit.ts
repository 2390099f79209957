// The permits of one rate limit, shared over Redis. Redis grants permits to this process; Bottleneck grants them within
// the process, as it does without Redis, and bounds them by the process's own limit, whatever Redis says. Bottleneck's
// own cluster is not used: it stores the clocks of the processes, and each of its values would have to be checked.
import type { Leases, LeaseTerms } from '../leases.js';
import { leaseSizes, localSource, type PermitSource, type PermitTerms } from '../permit-source.js';
import type { RateLimiter } from '../rate-limiter.js';
import { forgetMsOf } from '../returns.js';
import { WallClock } from '../wall-clock.js';
import type { Claim, Division, Share } from './division.js';
import { Part } from './part.js';

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

/** One call claims them all: with a call after each 1/50 of the window, they exceed any limit. */
const maxLeasesWanted = 16;

/** Where the rate limiter takes its permits from. */
type Use = 'shared' | 'alone' | undefined;

export class SharedLimit implements PermitSource {
  readonly limiter: RateLimiter;
  readonly times: Times;
  readonly main: Leases;
  readonly #parts: readonly Part[];
  readonly #reserve: Part;
  readonly #onChange: () => void;
  readonly #clock = new WallClock();
  /** The limit that applies to all, as last reported. */
  reported: number;
  /** The last division of this rate limit. */
  #divided: Pick<Division, 'now'> & { readonly sentAt: number; readonly at: number } = {
    now: 0,
    sentAt: Number.NEGATIVE_INFINITY,
    at: 0,
  };
  #use: Use;
  #isFailed = false;
  #usedAt = performance.now();
  /** When the cool-downs end, by the clock of Redis: that this process announced, as last claimed, and of others. */
  readonly #closedUntil = { announced: 0, claimed: 0, heard: 0 };
  /** The permits of the share while Redis is unavailable; kept until they have returned. */
  #alone: PermitSource | undefined;
  #aloneTimer: NodeJS.Timeout | undefined;

  /** @param onChange called when permits are wanted, or were put back */
  constructor(limiter: RateLimiter, onChange: () => void) {
    const { terms } = limiter;
    this.limiter = limiter;
    this.reported = terms.limit;
    this.#onChange = onChange;
    this.times = timesOf(terms);
    const open = (name: Claim['part'], permits: number, share: number) =>
      new Part(name, permits, {
        onChange,
        onGrant: () => {
          limiter.pump();
        },
        onFailure: () => {
          this.#isFailed = true;
        },
        termsOf: (permitsNow) => this.#leaseTerms(permitsNow, share),
      });
    const main = open('all', terms.limit - terms.reserved, 1 / 100);
    this.#reserve = open('urgent', terms.reserved, 1 / 16);
    this.#parts = [main, this.#reserve];
    this.main = main.leases;
  }

  /** The limit that applies to all processes now: the lowest that one of them claims. */
  get limit(): number {
    return this.#parts.reduce((sum, { permits }) => sum + permits, 0);
  }

  get reserve(): Leases | undefined {
    return this.#reserve.permits === 0 ? undefined : this.#reserve.leases;
  }

  /** Whether the rate limiter takes its permits from here. */
  get isOpen(): boolean {
    return this.#use === 'shared';
  }

  get isHeld(): boolean {
    return this.#parts.some(({ held }) => held > 0);
  }

  /** Whether permits are wanted, or something has changed after the last claim. */
  get hasChanged(): boolean {
    const { announced, claimed } = this.#closedUntil;
    return announced !== claimed || this.#parts.some(({ hasChanged }) => hasChanged);
  }

  free(): number {
    const free = this.#parts.reduce((sum, part) => sum + part.free + part.leases.available, 0);
    return Math.min(free, this.limiter.terms.limit);
  }

  /** Bottleneck waits when the clock of this process was set back. */
  check(): void {
    if (this.#clock.step() >= 0 && !this.#isFailed) return;
    this.#isFailed = false;
    for (const part of this.#parts) part.restart();
    this.limiter.pump();
  }

  announceCoolDown(ms: number): void {
    const { now, at } = this.#divided;
    this.#closedUntil.announced = Math.ceil(now + performance.now() - at + ms);
    this.#onChange();
  }

  /** @param noticedMs how long other processes may use their shares after Redis is back */
  claims(now: number, noticedMs: number): readonly Claim[] {
    const { name, windowMs } = this.limiter.terms;
    const alone = this.#alone;
    if (this.#parts.some(({ leases, wanted }) => leases.out > 0 || wanted > 0)) this.#usedAt = now;
    const { lifeMs } = this.times;
    this.#closedUntil.claimed = this.#closedUntil.announced;
    return this.#parts.map((part) => {
      const leasesAlone = part === this.#reserve ? alone?.reserve : alone?.main;
      const claimed = part.claim();
      return {
        rateLimit: name,
        part: part.name,
        permits: part.own,
        windowMs,
        lifeMs,
        waitMs: this.waitMs(noticedMs),
        held: claimed.held + (leasesAlone?.out ?? 0),
        wanted: claimed.wanted,
        closedUntil: this.#closedUntil.claimed,
      };
    });
  }

  /** Redis must know all grants of this time before any permit is granted. */
  waitMs(noticedMs: number): number {
    return Math.ceil(this.times.lifeMs) + noticedMs;
  }

  /** Takes the granted permits. */
  divided(shares: readonly Share[], { now }: Division, sentAt: number, isOpen: boolean): void {
    const at = performance.now();
    // Redis may have granted the permits in hand to other processes.
    const mayBeForgotten = !isOpen || at >= this.#divided.sentAt + 0.95 * this.times.lifeMs;
    if (mayBeForgotten) for (const part of this.#parts) part.dropHand();
    this.#divided = { now, sentAt, at };
    for (const [index, part] of this.#parts.entries()) {
      const share = shares[index];
      if (share !== undefined) part.grant(share);
    }
    const closedUntil = shares[0]?.closedUntil ?? 0;
    if (closedUntil <= Math.max(now, this.#closedUntil.heard)) return;
    this.#closedUntil.heard = closedUntil;
    this.limiter.startCoolDown(closedUntil - now);
  }

  /** Takes permits from Redis. */
  useShared(): void {
    if (this.#use === 'shared') return;
    this.#change('shared', this);
  }

  /** Takes no permits. */
  useNone(): void {
    clearTimeout(this.#aloneTimer);
    if (this.#use === undefined) return;
    this.#change(undefined, undefined);
  }

  /** Starts to use this share when all permits that were granted over Redis have returned. */
  useShareLater(share: number, downSince: number, onUse: () => void): void {
    clearTimeout(this.#aloneTimer);
    if (this.#use === 'alone') return;
    const { terms } = this.limiter;
    // The other processes take their shares of the limit that applied to all, too.
    const limit = Math.floor(this.limit * share);
    const reserved = Math.floor(this.#reserve.permits * share);
    if (limit === 0) return;
    this.#aloneTimer = setTimeout(
      () => {
        // Permits of the share may still count from the last time.
        if (this.#alone === undefined || outOf(this.#alone) === 0)
          this.#alone = localSource({ ...terms, limit, reserved }, () => {
            this.limiter.pump();
          });
        this.#change('alone', this.#alone);
        onUse();
      },
      Math.max(0, downSince + this.times.lifeMs - performance.now()),
    ).unref();
  }

  #change(use: Use, source: PermitSource | undefined): void {
    this.#use = use;
    this.limiter.use(source);
  }

  /** Leases are small and few permits are kept in hand, because the other processes cannot use them. */
  #leaseTerms(permits: () => number, share: number): LeaseTerms {
    const size = () => Math.min(Math.max(Math.floor(permits() * share), 1), leaseSizes.size);
    const isResting = () => performance.now() - this.#usedAt > this.times.restAfterMs;
    const usableUntil = () => (this.#use === 'shared' ? this.#divided.sentAt + this.times.usableMs : 0);
    return {
      maxRequested: maxLeasesWanted,
      get size() {
        return size();
      },
      get inHand() {
        return isResting() ? 0 : Math.min(size(), leaseSizes.inHand, Math.floor(permits() / 125));
      },
      get usableUntil() {
        return usableUntil();
      },
    };
  }
}

function outOf({ main, reserve }: PermitSource): number {
  return main.out + (reserve?.out ?? 0);
}
