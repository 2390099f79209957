// The errors of the operators that watch over a stream. A stream only reads: it can be subscribed to again.
import type { LiveGap } from '../model/stream-gap.js';
import { ExchangeError } from './exchange-error.js';

/** `failOnGap` ended the stream, because items may be missing. */
export class GapError extends ExchangeError {
  readonly kind = 'gap';

  constructor(
    /** Name of the operator. */
    operator: string,
    /** The gap. */
    readonly gap: LiveGap,
  ) {
    const { reason, from, to, channel, market } = gap;
    const place = market === undefined ? channel : `${channel} ${market}`;
    super(`items may be missing from ${from} to ${to}, Unix seconds (${place}): ${reason}`, {
      endpoint: operator,
      outcome: 'none',
    });
  }
}

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
