// When not finding an order is the proof that there is none, and that none can come of what is still on its way.
// The exchange executes a request only while its nonce is in the window around the exchange's clock: after that, an order that is not there never
// will be. But one that rested may have ended just before it was looked for: open no more, and not in the history yet. So it takes two looks.
import type { ExchangeClock } from './auth/index.js';

/** A request that was sent, and whose answer is not known. */
export interface SentOrder {
  /** When, by the local clock. */
  readonly sentAt: number;
  /** When, by the exchange's clock as it was known at the time. */
  readonly sentAtExchange: number;
  /** Until when it can be executed, by the exchange's clock. */
  readonly executableUntil: number;
  /** The same by the local clock, as it was known at the time: an answer that shows an absurd time since proves nothing earlier than this. */
  readonly executableUntilLocal: number;
}

/** A look among the open orders and in the history that found nothing. */
export interface EmptyLook {
  /** When it began, by the local clock. */
  readonly begunAtLocal: number;
  /** When it began and ended, by `performance.now()`. */
  readonly begunAt: number;
  readonly endedAt: number;
}

/** Gathers the looks at one order. */
export class AbsenceProof {
  readonly #sent: SentOrder;
  readonly #clock: ExchangeClock;
  readonly #historyLagMs: number;
  /** The first look after the order could no longer be executed. */
  #first: EmptyLook | undefined;

  /** @param historyLagMs how long after it ended an order may be missing from the history */
  constructor(sent: SentOrder, clock: ExchangeClock, historyLagMs: number) {
    this.#sent = sent;
    this.#clock = clock;
    this.#historyLagMs = historyLagMs;
  }

  /** Adds a look; whether the proof is complete with it. */
  add(look: EmptyLook): boolean {
    // Its answers may have shown that the clock, by which an earlier one counted, was wrong.
    if (this.#first !== undefined && !this.#counts(this.#first)) this.#first = undefined;
    if (!this.#counts(look)) return false;
    this.#first ??= look;
    return this.#historyLagMs === 0 || look.begunAt >= this.#first.endedAt + this.#historyLagMs;
  }

  /** How long until a look is worth more than one now, milliseconds: `undefined` when that is not known, or only the local clock is waited for. */
  get nextMs(): number | undefined {
    const untilOver = this.#sent.executableUntil + 1 - (this.#clock.atLeast() ?? Number.NaN);
    if (untilOver > 0) return untilOver;
    const untilShown = (this.#first?.endedAt ?? Number.NaN) + this.#historyLagMs - performance.now();
    return untilShown > 0 ? untilShown : undefined;
  }

  /** Whether an order that was not there when the look began never will be. */
  #counts({ begunAtLocal }: EmptyLook): boolean {
    const { executableUntil, executableUntilLocal } = this.#sent;
    return begunAtLocal > executableUntilLocal && (this.#clock.atLeast(begunAtLocal) ?? Number.NEGATIVE_INFINITY) > executableUntil;
  }
}
