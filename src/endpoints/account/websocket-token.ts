import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';

const fields = {
  /** Authorizes one live connection. A secret. */
  websocket_token: v.pipe(t.text, v.nonEmpty('must not be empty')),
};

/** The token of a live connection. Unknown fields are kept. */
export interface WebsocketToken extends t.RecordOf<typeof fields> {}

/**
 * Issues a token that authorizes a live connection. `exchange.live.my` requests one for each connection, so a program
 * needs it only for a connection of its own. The token is a secret, valid for a short time.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 * import { map } from 'rxjs';
 *
 * const authorize$ = (exchange: Exchange) =>
 *   exchange.account
 *     .websocketToken()
 *     .pipe(map(({ websocket_token }) => ({ id: 1, method: 'authorize', params: [websocket_token, 'public'] })));
 * ```
 */
export const websocketToken: Endpoint<NoParams, WebsocketToken> = defineEndpoint({
  name: 'account.websocketToken',
  path: '/api/v4/profile/websocket_token',
  rateLimit: { limit: 10, windowMs: 60_000 },
  safety: 'read',
  confidential: true,
  response: t.record(fields),
});
