// The state of a connection, as users see it.
import type { ConnectionEnd } from './connection.js';

/** The state of a connection. Switch on `status`. */
export type LiveState =
  /** No subscriber needs it. */
  | { readonly status: 'idle' }
  /** It is being made. */
  | { readonly status: 'connecting' }
  /** The connection of the account: a token is requested and sent. */
  | { readonly status: 'authorizing' }
  | {
      readonly status: 'open';
      /** 1 for the first connection; each replacement counts one more. */
      readonly generation: number;
      /** Since when, Unix ms. */
      readonly since: number;
    }
  | {
      readonly status: 'waiting';
      /** When the next attempt starts, Unix ms. */
      readonly until: number;
      /** Why it waits. */
      readonly reason: WaitingReason;
    };

/**
 * Why a new connection waits: why the last one ended, or `connection-rate`, because too many connections were made in
 * a short time.
 */
export type WaitingReason = ConnectionEnd['reason'] | 'connection-rate';
