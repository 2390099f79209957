// The errors of live channels.
import { ExchangeError } from './exchange-error.js';

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
