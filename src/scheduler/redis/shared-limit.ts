// A rate limit that processes share over Redis: what this process claims of it, and what it may use of what Redis has
// granted. Its own permits bound it, whatever Redis says. Bottleneck's own cluster is not used: it stores the clocks of the
// processes, and each of its values would have to be checked.
import type { Priority } from '../../endpoint/index.js';
import { forgetMsOf } from '../cool-down.js';
import {
  RateLimiter,
  type Demand,
  type PermitTerms,
  type PermitUse,
  type RateLimitUsage,
  type TakenPermit,
} from '../rate-limiter.js';
import type { Claim, Division, Share } from './division.js';

/** Requests that come more often than this, and a window apart, find permits in hand. */
const maxRestAfterMs = 30_000;
/** Few permits are kept in hand, because the other processes cannot use them; a small limit has none to spare. */
const inHandBounds = { max: 16, share: 1 / 125 };
/** How many permits are requested or returned at once, as a share of all; 16 times as many are wanted at most. */
const stepShare = 1 / 100;
const maxStep = 32;
const maxStepsWanted = 16;

export class SharedLimit extends RateLimiter {
  /**
   * Permits count for this time after the last call of their process, milliseconds: long enough for a late response and
   * one window after it. It is less than two windows where the window is not shorter than `lateArrivalMs`: the permits of a
   * process that died are missing for that long.
   */
  readonly lifeMs: number;
  /** Redis must know all grants of this time before any permit is granted, milliseconds. */
  readonly waitMs: number;
  /** While permits are held, a call is due this often, milliseconds. */
  readonly beatMs: number;
  /** While requests wait or permits return, a call is due this often, milliseconds. */
  readonly pollMs: number;
  /** The limit that applies to all processes now: the lowest that one of them claims. */
  permits: number;
  readonly #onChange: (limit: SharedLimit) => void;
  /** Permits in hand may be used for this time after a call, milliseconds. */
  readonly #usableMs: number;
  /** What may be taken: permits that Redis has granted, of a share of the limit, or none. */
  #use: 'shared' | { readonly share: number } | undefined;
  #inHand = 0;
  /** Permits that no process holds. */
  #free = 0;
  #wanted: Readonly<Demand> = { all: 0, urgent: 0 };
  /** The permits that Redis knows of; none before the first call. */
  #claimed: number | undefined;
  #usedAt = performance.now();
  /** A rate limit that nobody has used for a while keeps no permit in hand. */
  #isResting = false;
  /** The last division: by the clock of Redis, and when its call was sent and had its response. */
  #divided = { now: 0, sentAt: Number.NEGATIVE_INFINITY, at: 0 };
  /** When the cool-downs end, by the clock of Redis: that this process announced, as last claimed, and of others. */
  readonly #closedUntil = { announced: 0, claimed: 0, heard: 0 };

  /**
   * @param onChange called when permits are wanted, or were put back
   * @param noticedMs how long other processes may use their shares after Redis is back
   */
  constructor(
    terms: PermitTerms,
    onAvailable: (limiter: RateLimiter) => void,
    onChange: (limit: SharedLimit) => void,
    noticedMs: number,
  ) {
    super(terms, onAvailable);
    const { limit, windowMs, lateArrivalMs } = terms;
    this.permits = limit;
    this.#onChange = onChange;
    this.lifeMs = windowMs + 0.95 * Math.max(windowMs, lateArrivalMs);
    this.waitMs = Math.ceil(this.lifeMs) + noticedMs;
    this.#usableMs = 0.3 * (this.lifeMs - forgetMsOf(windowMs));
    this.beatMs = Math.min(1000, this.#usableMs / 3);
    this.pollMs = Math.min(50, Math.max(15, windowMs / 200));
  }

  get isShared(): boolean {
    return this.#use === 'shared';
  }

  /** Permits in use and in hand. */
  get held(): number {
    return this.inUse + this.#inHand;
  }

  /** Whether permits are wanted, or something has changed after the last claim. */
  get hasChanged(): boolean {
    const { announced, claimed } = this.#closedUntil;
    return announced !== claimed || this.#wanted.all > 0 || this.held !== this.#claimed;
  }

  override isOpen(isUrgent: boolean, now: number): boolean {
    return this.#use !== undefined && super.isOpen(isUrgent, now);
  }

  override available(isUrgent: boolean, now: number): number {
    return Math.min(super.available(isUrgent, now), this.#left(isUrgent, now));
  }

  #left(isUrgent: boolean, now: number): number {
    if (this.#use === undefined) return 0;
    if (this.#use === 'shared') return now < this.#usableUntil ? this.#inHand : 0;
    const permits = Math.floor(this.permits * this.#use.share);
    return permits - this.inUse - this.keptOf(permits, isUrgent);
  }

  get #usableUntil(): number {
    return this.#divided.sentAt + this.#usableMs;
  }

  override take(priority: Priority, now: number): TakenPermit {
    this.#inHand = Math.max(0, this.#inHand - 1);
    return { ...super.take(priority, now), usableUntil: this.isShared ? this.#usableUntil : now };
  }

  override putBack(taken: TakenPermit, use: PermitUse, retryAfterMs?: number): void {
    super.putBack(taken, use, retryAfterMs);
    const now = performance.now();
    // Other processes may have got a permit that may no longer be used.
    if (use === 'unsent' && now < taken.usableUntil) this.#inHand += 1;
    if (use === 'rate-limited') {
      const { now: redisNow, at } = this.#divided;
      this.#closedUntil.announced = Math.ceil(redisNow + now - at + this.coolDownMs(now));
    }
    if (this.hasChanged) this.#onChange(this);
  }

  override want(demand: Demand = { all: 0, urgent: 0 }, now = performance.now()): void {
    super.want(demand, now);
    const max = this.maxWanted(now);
    const [all, urgent] = [Math.min(demand.all, max), Math.min(demand.urgent, max)];
    const step = Math.min(Math.max(Math.floor(this.permits * stepShare), 1), maxStep);
    const spare = this.#isResting ? 0 : Math.min(step, inHandBounds.max, Math.floor(this.permits * inHandBounds.share));
    const isEnough = this.#inHand >= all + Math.ceil(spare / 2);
    const wanted = isEnough ? 0 : Math.min(all + spare - this.#inHand, maxStepsWanted * step);
    this.#wanted = { all: wanted, urgent: Math.min(wanted, Math.max(0, urgent - this.#inHand)) };
    if (this.#inHand > all + spare + (this.#isResting ? 0 : step)) this.#inHand = all + spare;
    if (this.hasChanged) this.#onChange(this);
  }

  override usage(): RateLimitUsage {
    const usage = super.usage();
    return { ...usage, free: Math.min(this.#free + this.#inHand, usage.free) };
  }

  claim(now: number): Claim {
    const { name: rateLimit, limit: permits, windowMs } = this.terms;
    if (this.inUse > 0 || this.#wanted.all > 0) this.#usedAt = now;
    this.#isResting = now - this.#usedAt > Math.min(2 * this.lifeMs, maxRestAfterMs);
    this.#closedUntil.claimed = this.#closedUntil.announced;
    this.#claimed = this.held;
    return {
      rateLimit,
      permits,
      windowMs,
      lifeMs: this.lifeMs,
      waitMs: this.waitMs,
      held: this.held,
      heldUrgent: this.urgentInUse,
      wanted: this.#wanted.all,
      wantedUrgent: this.#wanted.urgent,
      closedUntil: this.#closedUntil.claimed,
    };
  }

  /** Takes the granted permits; none while Redis does not know every permit that may count. */
  divided({ granted, permits, free, closedUntil }: Share, { now, knownForMs }: Division, sentAt: number): void {
    const at = performance.now();
    const isKnown = knownForMs >= this.waitMs;
    // Redis may have granted the permits in hand to other processes.
    if (!isKnown || at >= this.#divided.sentAt + 0.95 * this.lifeMs) this.#inHand = 0;
    this.#divided = { now, sentAt, at };
    this.permits = Math.min(this.terms.limit, permits);
    this.#free = free;
    this.#wanted = { all: Math.max(0, this.#wanted.all - granted), urgent: Math.max(0, this.#wanted.urgent - granted) };
    this.#claimed = (this.#claimed ?? 0) + granted;
    this.#inHand += granted;
    this.#use = isKnown ? 'shared' : undefined;
    if (closedUntil > Math.max(now, this.#closedUntil.heard)) {
      this.#closedUntil.heard = closedUntil;
      this.coolDown(closedUntil - now);
    }
    this.pump();
  }

  /** Redis is lost: takes no permits, or those of a share of the limit. */
  lose(share: number): void {
    this.#inHand = 0;
    this.#use = share === 0 ? undefined : { share };
    this.pump();
  }
}
