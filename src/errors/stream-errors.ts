// The error of an operator that watches over a stream. A stream only reads: it can be subscribed to again.
import { ExchangeError } from './exchange-error.js';

/** The consumer of a stream is slower than the stream, and too many values wait for it. */
export class SlowConsumerError extends ExchangeError {
  readonly kind = 'slow-consumer';

  constructor(
    /** Name of the function. */
    operator: string,
    /** How many values may wait. */
    readonly maxWaiting: number,
  ) {
    super(
      `${maxWaiting} values wait, and another one came: the loop is slower than the stream. Do less in the loop, or set keep to "latest", to a greater number or to "all"`,
      { endpoint: operator, outcome: 'none' },
    );
  }
}
