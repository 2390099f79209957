// Two estimates of the exchange's clock. Nonces follow readings of `public/time` and rejected nonces. Proofs follow
// readings only, because a gateway may make a rejection up. The header `Date` is the clock of a gateway or cache.
import { EMPTY, repeat, timer, type Observable } from 'rxjs';
import { nonceWindowMs } from './nonces.js';

/** One reading of the exchange's clock. Unix milliseconds; `sentAt` and `receivedAt` by the local clock. */
export interface ClockReading {
  /** The time in the response, rounded down to a multiple of {@link resolutionMs}. */
  readonly shown: number;
  readonly resolutionMs: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** A nonce outside the window. Unix milliseconds; `sentAt` and `receivedAt` by the local clock. */
export interface NonceRejection {
  readonly nonce: number;
  /** Whether the nonce was behind the exchange's clock, and not ahead of it. */
  readonly isTooOld: boolean;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Bounds of the exchange's clock minus the local clock, milliseconds. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

const unknown: Bounds = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

/** Of the clock, by one response, or by all rejected nonces after a reading: a cached response may be a day old. */
const maxStepMs = 60_000;
/** Maximum time between a reading with a larger change and the reading that confirms it. */
const confirmWithinMs = 60_000;
/** Readings that confirm a large change, and the delay between: `public/time` has whole seconds, cached for one. */
const maxReadings = 3;
const readingIntervalMs = 1100;
/** The maximum time of a `Date`, Unix milliseconds. */
const maxTime = 8.64e15;

/**
 * Estimates the difference between the exchange's clock and the local clock. Each response gives bounds, and the bounds
 * of several responses narrow the estimate. Bounds that contradict the estimate replace it, because a clock was set. A
 * change by more than a minute needs a second, later reading that agrees with the time that passed: a cached response
 * shows the same time again.
 *
 * A proof uses the bounds of the last accepted reading alone. They contain the uncertainty of that reading: a slow
 * reading proves less, and never repeats what another response showed.
 */
export class ExchangeClock {
  /** Unix ms. */
  readonly local: () => number;
  /** By all responses. */
  #bounds = unknown;
  /** By the last accepted reading alone. */
  #read = unknown;
  #readAt = Number.NEGATIVE_INFINITY;
  /** The offset after the last accepted reading. Rejected nonces move the clock at most `maxStepMs` from it. */
  #readOffset = 0;
  /** A reading with a large change, which a second reading must confirm. */
  #unconfirmed: ClockReading | undefined;

  constructor(local: () => number) {
    this.local = local;
  }

  /** Whether the last reading still needs a second one that confirms it. */
  get isUnconfirmed(): boolean {
    return this.#unconfirmed !== undefined;
  }

  /** The time for nonces, Unix ms. Equals the local clock unless a response contradicts it. */
  now(): number {
    return this.toExchange(this.local());
  }

  toExchange(local: number): number {
    return local + offsetOf(this.#bounds);
  }

  /**
   * The earliest possible exchange time at a local time; before the first reading, the local time, or the time for nonces
   * if that is earlier.
   */
  toExchangeAtLeast(local: number): number {
    return this.atLeast(local) ?? Math.min(local, this.toExchange(local));
  }

  /**
   * The earliest possible exchange time at a local time, by default now, Unix ms; `undefined` before the first reading
   * that came at `since`, by the local clock, or later. The clocks may have drifted apart after an older one.
   */
  atLeast(local = this.local(), since = Number.NEGATIVE_INFINITY): number | undefined {
    const { min } = this.#read;
    return min === Number.NEGATIVE_INFINITY || this.#readAt < since ? undefined : local + min;
  }

  learn(reading: ClockReading): void {
    if (!(reading.shown > 0 && reading.shown <= maxTime)) return;
    const bounds = boundsOf(reading);
    const known = narrow(this.#bounds, bounds);
    if (Math.abs(offsetOf(known) - this.#readOffset) <= maxStepMs) this.#accept(known, reading);
    else if (this.#unconfirmed === undefined || !isSameClock(this.#unconfirmed, reading)) this.#unconfirmed = reading;
    else if (isLater(this.#unconfirmed, reading)) this.#accept(bounds, reading);
  }

  /** Moves the time for nonces: the exchange's clock is at least 5 s after or before a rejected nonce. */
  learnRejection({ nonce, isTooOld, sentAt, receivedAt }: NonceRejection): void {
    const bounds = isTooOld
      ? { ...unknown, min: nonce + nonceWindowMs - receivedAt }
      : { ...unknown, max: nonce - nonceWindowMs - sentAt };
    const known = narrow(this.#bounds, bounds);
    if (Math.abs(offsetOf(known) - this.#readOffset) <= maxStepMs) this.#bounds = known;
    // The clock may have been set since the last reading: a proof waits for the next one.
    if (!overlap(this.#read, bounds)) this.#read = unknown;
  }

  #accept(known: Bounds, reading: ClockReading): void {
    this.#bounds = known;
    this.#read = boundsOf(reading);
    this.#readAt = reading.receivedAt;
    this.#readOffset = offsetOf(known);
    this.#unconfirmed = undefined;
  }
}

/** Reads the exchange's clock, and up to two more times while the last reading needs a confirmation. */
export function readUntilConfirmed<Output>(clock: ExchangeClock, reading$: Observable<Output>): Observable<Output> {
  return reading$.pipe(
    repeat({ count: maxReadings, delay: () => (clock.isUnconfirmed ? timer(readingIntervalMs) : EMPTY) }),
  );
}

function boundsOf({ shown, resolutionMs, sentAt, receivedAt }: ClockReading): Bounds {
  return { min: shown - receivedAt, max: shown + resolutionMs - sentAt };
}

/** The estimate within bounds: 0 where the bounds allow it. */
function offsetOf({ min, max }: Bounds): number {
  if (min <= 0 && max >= 0) return 0;
  if (max === Number.POSITIVE_INFINITY) return min;
  return min === Number.NEGATIVE_INFINITY ? max : (min + max) / 2;
}

function overlap(one: Bounds, other: Bounds): boolean {
  return one.min <= other.max && one.max >= other.min;
}

/** The intersection of both bounds. New bounds that contradict the known ones replace them. */
function narrow(known: Bounds, bounds: Bounds): Bounds {
  if (!overlap(known, bounds)) return bounds;
  return { min: Math.max(known.min, bounds.min), max: Math.min(known.max, bounds.max) };
}

/** Whether two readings agree with the time that passed between them. */
function isSameClock(earlier: ClockReading, later: ClockReading): boolean {
  return later.sentAt - earlier.receivedAt <= confirmWithinMs && overlap(boundsOf(earlier), boundsOf(later));
}

function isLater(earlier: ClockReading, later: ClockReading): boolean {
  return later.sentAt >= earlier.receivedAt && later.shown > earlier.shown;
}

/** A clock in Unix ms that does not jump when the machine's clock is set. */
export function steadyClock(): () => number {
  const offset = Date.now() - performance.now();
  return () => offset + performance.now();
}
