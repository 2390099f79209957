// Bounds the new tries of a client, so that an outage is not multiplied by everyone who repeats.
import { checkByRules, numberFrom, type OptionRules } from '../errors/index.js';

/** Options of {@link RetryBudget}. */
export interface RetryBudgetOptions {
  /** New tries that each request adds to the budget. Default 0.1: in the long run, one in ten requests is a new try. */
  readonly perRequest?: number;
  /** The most that can be saved up, and what there is at the start. Default 50. */
  readonly max?: number;
}

/**
 * A budget of new tries, filled by requests. A client has one of its own (`retry.budget` of its options bounds it);
 * give one to several {@link retryWith} that should not multiply the same outage. Throws {@link RequestError} for bad
 * options.
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
  /**
   * What its options may be.
   *
   * @internal
   */
  static readonly optionRules: OptionRules<RetryBudgetOptions> = { perRequest: numberFrom(0), max: numberFrom(0) };

  readonly #perRequest: number;
  readonly #max: number;
  #left: number;

  constructor(options: RetryBudgetOptions = {}) {
    checkByRules('RetryBudget', options, RetryBudget.optionRules);
    const { perRequest = 0.1, max = 50 } = options;
    this.#perRequest = perRequest;
    this.#max = max;
    this.#left = max;
  }

  /** A request was made. */
  earn(): void {
    this.#left = Math.min(this.#max, this.#left + this.#perRequest);
  }

  /** Takes a new try from the budget; false when there is none. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
