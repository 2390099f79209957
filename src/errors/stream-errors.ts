// The errors of live channels, and of an operator that watches over a stream. A stream only reads: it can be subscribed to
// again.
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

/**
 * The exchange refuses a subscription or a query on a live connection, or the tokens of the account's connection; or it
 * does not list the market of a subscription, which then is not sent.
 */
export class LiveRefusedError extends ExchangeError {
  readonly kind = 'live-refused';

  constructor(
    /** Name of the channel or query. */
    channel: string,
    /** The exchange's code; `undefined` when its response has none, and for a market that the exchange does not list. */
    readonly code: number | undefined,
    /** The exchange's message; empty when its response has none. For a market that is not listed, it says so. */
    readonly exchangeMessage: string,
    /** The market, or other key, that was refused; `undefined` for a query, and for the account. */
    readonly key?: string,
  ) {
    const about = key === undefined ? '' : `${key}: `;
    const parts = [code === undefined ? '' : `code ${code}`, exchangeMessage].filter((part) => part !== '');
    super(`${about}the exchange refuses it (${parts.join(': ') || 'no code'})`, { endpoint: channel, outcome: 'none' });
  }
}
