// The errors of live channels.
import { ExchangeError } from './exchange-error.js';

/**
 * The exchange refuses a subscription or a query on a live connection, such as for a market that it does not have, or
 * the tokens of the account's connection.
 */
export class LiveRefusedError extends ExchangeError {
  readonly kind = 'live-refused';

  constructor(
    /** Name of the channel or query. */
    channel: string,
    /** The exchange's code; `undefined` when its response has none. */
    readonly code: number | undefined,
    /** The exchange's message; empty when its response has none. */
    readonly exchangeMessage: string,
    /** The market, or other key, that was refused; `undefined` for a query, and for the account. */
    readonly key?: string,
  ) {
    const about = key === undefined ? '' : `${key}: `;
    const text = [code === undefined ? 'no code' : `code ${code}`, exchangeMessage].filter((part) => part !== '');
    super(`${about}the exchange refuses it (${text.join(': ')})`, { endpoint: channel, outcome: 'none' });
  }
}
