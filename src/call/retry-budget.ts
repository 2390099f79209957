// Bounds the retries of many requests together, so that retries do not multiply the load of an outage.
import { numberFrom, optionsOf, parse } from '../errors/index.js';

/** Options of {@link RetryBudget}. */
export interface RetryBudgetOptions {
  /** Retries that each request adds to the budget. Default 0.1: in the long run, at most 1 retry in 10 requests. */
  readonly perRequest?: number;
  /** Maximum retries in the budget, and its initial value. Default 50. */
  readonly max?: number;
}

/** What the options of a budget may be. */
export const retryBudgetOptions = optionsOf<RetryBudgetOptions>({ perRequest: numberFrom(0), max: numberFrom(0) });

/**
 * A budget of retries that requests fill and retries spend. A client has its own, which its option `retry.budget`
 * bounds. Pass one budget to several {@link retryWith} that retry against the same exchange.
 *
 * @throws {@link RequestError} for invalid options
 *
 * @example
 * ```ts
 * import { isTransient, RetryBudget, retryWith, type Exchange } from 'exchange-rx';
 * import { defer } from 'rxjs';
 *
 * const budget = new RetryBudget({ perRequest: 0.2, max: 10 });
 * const markets = (exchange: Exchange) =>
 *   defer(() => {
 *     budget.earn();
 *     return exchange.public.markets({ retry: false });
 *   }).pipe(retryWith({ when: isTransient, budget }));
 * ```
 */
export class RetryBudget {
  readonly #perRequest: number;
  readonly #max: number;
  #left: number;

  constructor(options: RetryBudgetOptions = {}) {
    const { perRequest = 0.1, max = 50 } = parse('RetryBudget', retryBudgetOptions, options);
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
