// When not finding an order proves that it does not exist and that no request in flight can still create it. The
// exchange accepts a request only while its nonce is in the window around the exchange's clock, and executes it within
// a bounded time: an order that does not exist by then never will. But a resting order may have ended just before its
// lookup: no longer open, and not in the history yet. So the proof takes two lookups.
import type { ExchangeClock } from '../auth/index.js';
import type { Sent } from '../call/index.js';

/**
 * The assumptions about the exchange behind a proof that an order does not exist, as far as they are options. The others:
 * the exchange accepts no nonce that is more than 5 s from its clock; its time
 * (`public/time`) is not ahead of that clock, and the local clock runs as it does during the proof; the open orders show an order once it is executed; the history keeps
 * every order; the endpoint takes `client_order_id` (observed, never assumed); a rejection that is not about a used or too old nonce is
 * the response to the request itself; no other client sends an order with the identifier. docs/orders.md says what happens
 * if one does not hold.
 */
export interface AbsencePremises {
  /**
   * How long the exchange may take to execute an order after it accepted the request, milliseconds, 0 or more;
   * `Infinity`: absence is never proven. Default 10000.
   */
  readonly settleMs?: number;
  /**
   * How long an order may be missing from the history after it ended, milliseconds, 0 or more. The open orders
   * are taken to show an order at once. For `live.my.executions`, an execution after it was made. Default 2000.
   */
  readonly historyLagMs?: number;
}

/** Gathers the lookups of one order. */
export class AbsenceProof {
  readonly #sent: Sent;
  readonly #clock: ExchangeClock;
  readonly #premises: Required<AbsencePremises>;
  /** The first lookup after the order could no longer be executed: by the local clock, and by `performance.now()`. */
  #first: { readonly startedAtLocal: number; readonly endedAt: number } | undefined;

  constructor(sent: Sent, clock: ExchangeClock, premises: Required<AbsencePremises>) {
    this.#sent = sent;
    this.#clock = clock;
    this.#premises = premises;
  }

  /** A lookup begins. Call the function when it found nothing: it returns whether the proof is complete. */
  begin(): () => boolean {
    const startedAtLocal = this.#clock.local();
    const startedAt = performance.now();
    return () => {
      // Its responses may have shown that the clock, by which an earlier one counted, was wrong.
      if (this.#first !== undefined && !this.#counts(this.#first.startedAtLocal)) this.#first = undefined;
      if (!this.#counts(startedAtLocal)) return false;
      this.#first ??= { startedAtLocal, endedAt: performance.now() };
      const { historyLagMs } = this.#premises;
      return historyLagMs === 0 || startedAt >= this.#first.endedAt + historyLagMs;
    };
  }

  /**
   * How long until a lookup is worth more than one now, milliseconds; by the local clock alone while the exchange's is
   * not known. `undefined`: the lookup after this one may complete the proof at any time.
   */
  get nextMs(): number | undefined {
    const { acceptableUntil, acceptableUntilLocal } = this.#sent;
    const now = this.#clock.local();
    const atLeast = this.#atLeast(now);
    const untilOverLocal = acceptableUntilLocal - now;
    const untilUnacceptable =
      atLeast === undefined ? untilOverLocal : Math.max(untilOverLocal, acceptableUntil - atLeast);
    const untilOver = untilUnacceptable + this.#premises.settleMs + 1;
    if (untilOver > 0) return untilOver;
    const untilShown = (this.#first?.endedAt ?? Number.NaN) + this.#premises.historyLagMs - performance.now();
    return untilShown > 0 ? untilShown : undefined;
  }

  /** Whether the exchange's clock was read since the request was sent. */
  get isClockRead(): boolean {
    return this.#atLeast(this.#clock.local()) !== undefined;
  }

  #atLeast(local: number): number | undefined {
    return this.#clock.atLeast(local, this.#sent.sentAt);
  }

  /** Whether an order that was not there when the lookup began never will be. */
  #counts(startedAtLocal: number): boolean {
    const { settleMs } = this.#premises;
    const { acceptableUntil, acceptableUntilLocal } = this.#sent;
    const atLeast = this.#atLeast(startedAtLocal) ?? Number.NEGATIVE_INFINITY;
    return startedAtLocal > acceptableUntilLocal + settleMs && atLeast > acceptableUntil + settleMs;
  }
}
