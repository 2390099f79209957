import type * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import {
  mapOf,
  number,
  optional,
  optionalDecimal,
  optionalFlag,
  optionalNumber,
  optionalText,
  partOf,
  record,
  text,
  type RecordOf,
} from '../../model/tolerant.js';
import { publicRateLimits } from './rate-limit.js';

const names = optional(partOf(text));

const networkFields = {
  /** Networks of deposits, such as `ERC20`. */
  deposits: names,
  /** Networks of withdrawals. */
  withdraws: names,
  /** The network of a request that names none. */
  default: optionalText,
};

/** The networks of an asset. Unknown fields are kept. */
export interface AssetNetworks extends RecordOf<typeof networkFields> {}

const providerFields = {
  /** Providers of deposits: the values of the parameter `provider`. */
  deposits: names,
  /** Providers of withdrawals. */
  withdraws: names,
};

/** The payment providers of a fiat asset. Unknown fields are kept. */
export interface AssetProviders extends RecordOf<typeof providerFields> {}

const memoFields = {
  /** Whether deposits need a memo. */
  deposit: optionalFlag,
  /** Whether withdrawals need a memo. */
  withdraw: optionalFlag,
};

/** Where an asset needs a memo. Unknown fields are kept. */
export interface AssetMemo extends RecordOf<typeof memoFields> {}

const boundFields = {
  /** Minimum amount, in the asset. */
  min: optionalDecimal,
  /** Maximum amount, in the asset. `"0"`, or absent: unlimited, or not readable. */
  max: optionalDecimal,
};

/** The bounds of an amount. Unknown fields are kept. */
export interface AmountBounds extends RecordOf<typeof boundFields> {}

const boundsSchema: v.GenericSchema<unknown, AmountBounds> = record(boundFields);

const limitFields = {
  /** The bounds of a deposit, by network or provider. */
  deposit: optional(mapOf(boundsSchema)),
  /** The bounds of a withdrawal, by network or provider. */
  withdraw: optional(mapOf(boundsSchema)),
};

/** The bounds of deposits and withdrawals. Unknown fields are kept. */
export interface AssetLimits extends RecordOf<typeof limitFields> {}

const networksSchema: v.GenericSchema<unknown, AssetNetworks> = record(networkFields);
const providersSchema: v.GenericSchema<unknown, AssetProviders> = record(providerFields);
const memoSchema: v.GenericSchema<unknown, AssetMemo> = record(memoFields);
const limitsSchema: v.GenericSchema<unknown, AssetLimits> = record(limitFields);

const assetFields = {
  /** Name, such as `Bitcoin`. */
  name: optionalText,
  /** CoinMarketCap's number of the asset. */
  unified_cryptoasset_id: optionalNumber,
  /** Whether withdrawals are possible now. */
  can_withdraw: optionalFlag,
  /** Whether deposits are possible now. */
  can_deposit: optionalFlag,
  /** Minimum withdrawal, in the asset. */
  min_withdraw: optionalDecimal,
  /** Maximum withdrawal, in the asset. `"0"`: unlimited. */
  max_withdraw: optionalDecimal,
  /** Minimum deposit, in the asset. */
  min_deposit: optionalDecimal,
  /** Maximum deposit, in the asset. `"0"`: unlimited. */
  max_deposit: optionalDecimal,
  /** Maker fee, percent. */
  maker_fee: optionalDecimal,
  /** Taker fee, percent. */
  taker_fee: optionalDecimal,
  /** Number of decimal places of amounts. */
  currency_precision: optionalNumber,
  /** Whether the asset needs a memo on any network. */
  is_memo: optionalFlag,
  /** Where the asset needs a memo. */
  memo: optional(memoSchema),
  /** Networks of a crypto asset. */
  networks: optional(networksSchema),
  /** Bounds of deposits and withdrawals by network or provider. */
  limits: optional(limitsSchema),
  /** Number of confirmations that a deposit needs, by network. */
  confirmations: optional(mapOf(number)),
  /** Payment providers of a fiat asset. */
  providers: optional(providersSchema),
};

/** An asset and what can be done with it. Unknown fields are kept. */
export interface Asset extends RecordOf<typeof assetFields> {}

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
  response: mapOf(record(assetFields)),
  maxResponseParts: maxParts,
});
