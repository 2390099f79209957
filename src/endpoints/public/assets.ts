import type * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { publicRateLimits } from '../rate-limits.js';

const names = t.optional(t.partOf(t.text));

const networkFields = {
  /** Networks of deposits, such as `ERC20`. */
  deposits: names,
  /** Networks of withdrawals. */
  withdraws: names,
  /** The network of a request that names none. */
  default: t.optionalText,
};

/** The networks of an asset. Unknown fields are kept. */
export interface AssetNetworks extends t.RecordOf<typeof networkFields> {}

const providerFields = {
  /** Providers of deposits: the values of the parameter `provider`. */
  deposits: names,
  /** Providers of withdrawals. */
  withdraws: names,
};

/** The payment providers of a fiat asset. Unknown fields are kept. */
export interface AssetProviders extends t.RecordOf<typeof providerFields> {}

const memoFields = {
  /** Whether deposits need a memo. */
  deposit: t.optionalFlag,
  /** Whether withdrawals need a memo. */
  withdraw: t.optionalFlag,
};

/** Where an asset needs a memo. Unknown fields are kept. */
export interface AssetMemo extends t.RecordOf<typeof memoFields> {}

const boundFields = {
  /** Minimum amount, in the asset. */
  min: t.optionalDecimal,
  /** Maximum amount, in the asset. `"0"`, or absent: unlimited, or not readable. */
  max: t.optionalDecimal,
};

/** The bounds of an amount. Unknown fields are kept. */
export interface AmountBounds extends t.RecordOf<typeof boundFields> {}

const boundsSchema: v.GenericSchema<unknown, AmountBounds> = t.record(boundFields);

const limitFields = {
  /** The bounds of a deposit, by network or provider. */
  deposit: t.optional(t.mapOf(boundsSchema)),
  /** The bounds of a withdrawal, by network or provider. */
  withdraw: t.optional(t.mapOf(boundsSchema)),
};

/** The bounds of deposits and withdrawals. Unknown fields are kept. */
export interface AssetLimits extends t.RecordOf<typeof limitFields> {}

const networksSchema: v.GenericSchema<unknown, AssetNetworks> = t.record(networkFields);
const providersSchema: v.GenericSchema<unknown, AssetProviders> = t.record(providerFields);
const memoSchema: v.GenericSchema<unknown, AssetMemo> = t.record(memoFields);
const limitsSchema: v.GenericSchema<unknown, AssetLimits> = t.record(limitFields);

const assetFields = {
  /** Name, such as `Bitcoin`. */
  name: t.optionalText,
  /** CoinMarketCap's number of the asset. */
  unified_cryptoasset_id: t.optionalNumber,
  /** Whether withdrawals are possible now. */
  can_withdraw: t.optionalFlag,
  /** Whether deposits are possible now. */
  can_deposit: t.optionalFlag,
  /** Minimum withdrawal, in the asset. */
  min_withdraw: t.optionalDecimal,
  /** Maximum withdrawal, in the asset. `"0"`: unlimited. */
  max_withdraw: t.optionalDecimal,
  /** Minimum deposit, in the asset. */
  min_deposit: t.optionalDecimal,
  /** Maximum deposit, in the asset. `"0"`: unlimited. */
  max_deposit: t.optionalDecimal,
  /** Maker fee, percent. */
  maker_fee: t.optionalDecimal,
  /** Taker fee, percent. */
  taker_fee: t.optionalDecimal,
  /** Number of decimal places of amounts. */
  currency_precision: t.optionalNumber,
  /** Whether the asset needs a memo on any network. */
  is_memo: t.optionalFlag,
  /** Where the asset needs a memo. */
  memo: t.optional(memoSchema),
  /** Networks of a crypto asset. */
  networks: t.optional(networksSchema),
  /** Bounds of deposits and withdrawals by network or provider. */
  limits: t.optional(limitsSchema),
  /** Number of confirmations that a deposit needs, by network. */
  confirmations: t.optional(t.mapOf(t.number)),
  /** Payment providers of a fiat asset. */
  providers: t.optional(providersSchema),
};

/** An asset and what can be done with it. Unknown fields are kept. */
export interface Asset extends t.RecordOf<typeof assetFields> {}

/** Assets by ticker: `{ BTC: asset, … }`. Fiat currencies and payment methods are among them. */
export interface Assets extends Record<string, Asset> {}

/** 1,000 assets of three networks have 107,000. */
const maxParts = 160_000;

/**
 * Reads the assets by ticker: their networks, and the bounds of deposits and withdrawals. Fiat currencies and payment
 * methods are among them. The exchange refreshes the response about every minute.
 *
 * @example
 * ```ts
 * exchange.public.assets().subscribe((assets) => console.log(assets['BTC']?.networks?.withdraws));
 * ```
 */
export const assets: Endpoint<NoParams, Assets> = defineEndpoint({
  name: 'public.assets',
  method: 'GET',
  path: '/api/v4/public/assets',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: t.mapOf(t.record(assetFields)),
  maxResponseParts: maxParts,
});
