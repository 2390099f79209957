import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import { assetSchema, type Asset } from '../../model/asset.js';
import { mapOf } from '../../model/tolerant.js';
import { publicRateLimits } from './rate-limit.js';

/** Assets by ticker: `{ BTC: asset, … }`. Fiat currencies and payment methods are among them. */
export interface Assets extends Record<string, Asset> {}

/** 1,000 assets of three networks have 107,000. */
const maxParts = 160_000;

/**
 * Reads the assets by ticker: their networks, and the bounds of deposits and withdrawals. Fiat currencies and payment
 * methods are among them. The exchange refreshes the response about every minute.
 *
 * `GET /api/v4/public/assets` · public · 2000 requests / 10 s (rate limit `public`) and 2000 requests / 10 s · a read,
 * retried after a transient failure
 *
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/public.md#publicassets
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * exchange.public.assets().subscribe((assets) => console.log(assets['BTC']?.networks?.withdraws));
 * ```
 */
export const assets: Endpoint<NoParams, Assets> = defineEndpoint({
  name: 'public.assets',
  method: 'GET',
  path: '/api/v4/public/assets',
  rateLimit: publicRateLimits,
  safety: 'read',
  request: v.strictObject({}),
  response: mapOf(assetSchema),
  maxResponseParts: maxParts,
});
