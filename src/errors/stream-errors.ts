// The errors of the operators that watch over a stream. A stream only reads: it can be subscribed to again.
import type { LiveGap, StreamGap } from '../model/stream-gap.js';
import { ExchangeError } from './exchange-error.js';

/** `failOnGap` ended the stream, because items may be missing. */
export class GapError extends ExchangeError {
  readonly kind = 'gap';

  constructor(
    /** Name of the operator. */
    operator: string,
    /** The gap. One of a live stream has `channel` and `filled`, too. */
    readonly gap: StreamGap | LiveGap,
  ) {
    const { reason, from, to } = gap;
    super(`items may be missing from ${from} to ${to}, Unix seconds${placeOf(gap)}: ${reason}`, {
      endpoint: operator,
      outcome: 'none',
    });
  }
}

function placeOf(gap: StreamGap | LiveGap): string {
  if (!('channel' in gap)) return '';
  return ` (${gap.channel}${gap.market === undefined ? '' : ` ${gap.market}`})`;
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
