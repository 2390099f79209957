// Bounds the retries of many requests together, so that retries do not multiply the load of an outage.
import { numberFrom, optionsOf } from '../errors/index.js';

/** The bounds on the retries of a client. */
export interface RetryBudgetOptions {
  /** Retries that each request adds to the budget. Default 0.1: in the long run, at most 1 retry in 10 requests. */
  readonly perRequest?: number;
  /** Maximum retries in the budget, and its initial value. Default 50. */
  readonly max?: number;
}

/** What the options of a budget may be. */
export const retryBudgetOptions = optionsOf<RetryBudgetOptions>({ perRequest: numberFrom(0), max: numberFrom(0) });

/** A budget of retries that the requests of a client fill and its retries spend. */
export class RetryBudget {
  readonly #perRequest: number;
  readonly #max: number;
  #left: number;

  constructor(options: RetryBudgetOptions = {}) {
    const { perRequest = 0.1, max = 50 } = options;
    this.#perRequest = perRequest;
    this.#max = max;
    this.#left = max;
  }

  /** Adds the share of one request. */
  earn(): void {
    this.#left = Math.min(this.#max, this.#left + this.#perRequest);
  }

  /** Takes one retry; false when the budget is empty. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
