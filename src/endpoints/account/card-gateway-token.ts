import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';

const tokenFields = {
  /** Authorizes requests to the card gateway, in its header `Authorization`. A secret. */
  token: v.pipe(t.text, v.nonEmpty('must not be empty')),
  /** When it expires, Unix seconds. */
  expires_at: t.optionalNumber,
};

/** A token of the card gateway. Unknown fields are kept. */
export interface GatewayToken extends t.RecordOf<typeof tokenFields> {}

const tokenSchema: v.GenericSchema<unknown, GatewayToken> = t.record(tokenFields);

const fields = {
  /** The token. */
  data: tokenSchema,
};

/** A token of the card gateway, in `data`. Unknown fields are kept. */
export interface CardGatewayToken extends t.RecordOf<typeof fields> {}

/**
 * Issues a token for the card gateway of the exchange, which has an address of its own. For business partners of the
 * exchange. The package has no method for the gateway: its requests contain card numbers.
 *
 * @example
 * ```ts
 * exchange.account.cardGatewayToken().subscribe(({ data }) => console.log('valid until', data.expires_at));
 * ```
 */
export const cardGatewayToken: Endpoint<NoParams, CardGatewayToken> = defineEndpoint({
  name: 'account.cardGatewayToken',
  path: '/api/v4/jwt',
  safety: 'read',
  confidential: true,
  response: t.record(fields),
});
