// The exchange's clock: nonces are made by it, and it says when a request can no longer be executed. It is learned from
// the exchange's own time (`public/time`) and from refusals of a nonce for its age; never from the header `Date`, which
// is the clock of whatever stands before the exchange.
import { EMPTY, repeat, timer, type Observable } from 'rxjs';

/** What a response showed of the exchange's clock. All are Unix milliseconds; the last two by the local clock. */
export interface ClockReading {
  /** What it showed, cut to {@link resolutionMs}. */
  readonly shown: number;
  readonly resolutionMs: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** A nonce that the exchange refused for its age. Unix milliseconds; the times by the local clock. */
export interface NonceRefusal {
  readonly nonce: number;
  /** Whether it lay behind the exchange's clock, and not ahead of it. */
  readonly isTooOld: boolean;
  /** How far a nonce may be from the exchange's clock. */
  readonly windowMs: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Bounds of how far the exchange's clock is from the local one, milliseconds. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

const unknown: Bounds = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

/**
 * No response alone moves the clock further than this, nor do all refused nonces after a reading: a gateway's page may
 * be wrong, or a day old.
 */
const maxStepMs = 60_000;
/** A reading that is further away is confirmed by another one within this time. */
const confirmedWithinMs = 60_000;
/**
 * How many readings it takes at most, and how long after each other, to see the exchange's clock go on: it shows
 * seconds, and may be cached for one.
 */
const maxReadings = 3;
const betweenReadingsMs = 1100;
/** The latest time that a `Date` can show. */
const latestTime = 8.64e15;

/**
 * Knows by how much the exchange's clock differs from the local one: each response gives bounds, and together they
 * narrow. A response that contradicts what is known (a clock was set) replaces it, if that moves the clock by a minute
 * at most. A reading that is further away moves it only together with a second one: of a later request, with a later
 * time, by as much as the local clock went on. A page from a cache shows the same time again.
 */
export class ExchangeClock {
  /** Unix ms. */
  readonly local: () => number;
  #bounds = unknown;
  /** What the last reading that was believed made of it. Refused nonces move the clock around this. */
  #readOffset = 0;
  /** A reading that is too far away to be believed alone. */
  #doubted: ClockReading | undefined;

  constructor(local: () => number) {
    this.local = local;
  }

  /** Whether the last reading is not believed before another one confirms it. */
  get isUnconfirmed(): boolean {
    return this.#doubted !== undefined;
  }

  /** Unix ms, as well as is known: the local clock, where no response contradicts it. */
  now(): number {
    return this.toExchange(this.local());
  }

  /** A time of the local clock as the exchange's clock shows it. */
  toExchange(local: number): number {
    return local + offsetOf(this.#bounds);
  }

  /**
   * The earliest that the exchange's clock can show at a time of the local clock; the best guess while nothing is
   * known.
   */
  toExchangeAtLeast(local: number): number {
    return this.atLeast(local) ?? this.toExchange(local);
  }

  /**
   * What the exchange's clock shows at least at a time of the local clock, by default now, Unix ms; `undefined` while
   * no response told.
   */
  atLeast(local = this.local()): number | undefined {
    const { least } = this.#bounds;
    return least === Number.NEGATIVE_INFINITY ? undefined : local + least;
  }

  /** Learns from a reading of the exchange's own time. */
  learn(reading: ClockReading): void {
    if (!(reading.shown > 0 && reading.shown <= latestTime)) return;
    const bounds = boundsOf(reading);
    const known = narrowed(this.#bounds, bounds);
    if (Math.abs(offsetOf(known) - offsetOf(this.#bounds)) <= maxStepMs) this.#believe(known);
    else if (this.#doubted === undefined || !isSameClock(this.#doubted, reading)) this.#doubted = reading;
    else if (isLater(this.#doubted, reading)) this.#believe(bounds);
  }

  /** A nonce was refused for its age: the clock is at least `windowMs` after it, or before it. */
  learnRefusal({ nonce, isTooOld, windowMs, sentAt, receivedAt }: NonceRefusal): void {
    const bounds = isTooOld
      ? { ...unknown, least: nonce + windowMs - receivedAt }
      : { ...unknown, most: nonce - windowMs - sentAt };
    const known = narrowed(this.#bounds, bounds);
    if (Math.abs(offsetOf(known) - this.#readOffset) <= maxStepMs) this.#bounds = known;
  }

  #believe(bounds: Bounds): void {
    this.#bounds = bounds;
    this.#readOffset = offsetOf(bounds);
    this.#doubted = undefined;
  }
}

/**
 * Reads the exchange's clock; and again, a second later each time, while a reading is too far away to be believed
 * alone. Three times at most.
 */
export function readUntilConfirmed<Output>(clock: ExchangeClock, reading$: Observable<Output>): Observable<Output> {
  return reading$.pipe(
    repeat({ count: maxReadings, delay: () => (clock.isUnconfirmed ? timer(betweenReadingsMs) : EMPTY) }),
  );
}

function boundsOf({ shown, resolutionMs, sentAt, receivedAt }: ClockReading): Bounds {
  return { least: shown - receivedAt, most: shown + resolutionMs - sentAt };
}

/** The best guess within bounds: that both clocks show the same, where it may be. */
function offsetOf({ least, most }: Bounds): number {
  if (least <= 0 && most >= 0) return 0;
  if (most === Number.POSITIVE_INFINITY) return least;
  return least === Number.NEGATIVE_INFINITY ? most : (least + most) / 2;
}

function overlap(one: Bounds, other: Bounds): boolean {
  return one.least <= other.most && one.most >= other.least;
}

/** Bounds that contradict what is known replace it. */
function narrowed(known: Bounds, bounds: Bounds): Bounds {
  if (!overlap(known, bounds)) return bounds;
  return { least: Math.max(known.least, bounds.least), most: Math.min(known.most, bounds.most) };
}

/** Whether two readings show one clock, which goes on as the local one does. */
function isSameClock(earlier: ClockReading, later: ClockReading): boolean {
  return later.sentAt - earlier.receivedAt <= confirmedWithinMs && overlap(boundsOf(earlier), boundsOf(later));
}

/** Whether a reading was made after another, and the clock went on meanwhile. */
function isLater(earlier: ClockReading, later: ClockReading): boolean {
  return later.sentAt >= earlier.receivedAt && later.shown > earlier.shown;
}

/** A clock of Unix ms that goes on evenly when the machine's is set. */
export function steadyClock(): () => number {
  const offset = Date.now() - performance.now();
  return () => offset + performance.now();
}
