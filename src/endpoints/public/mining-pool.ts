import type * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import {
  optional,
  optionalDecimal,
  optionalNumber,
  optionalText,
  partOf,
  record,
  text,
  type RecordOf,
} from '../../model/tolerant.js';
import { tighterRateLimits } from './rate-limit.js';

const hashRateFields = {
  /** Time, Unix seconds. */
  timestamp: optionalNumber,
  /** Hash rate, hashes per second. */
  hashrate: optionalDecimal,
};

/** The hash rate at a time. Unknown fields are kept. */
export interface PoolHashRate extends RecordOf<typeof hashRateFields> {}

const blockFields = {
  /** Time at which the pool found the block, Unix seconds. */
  block_found_at: optionalNumber,
  /** Height of the block. */
  block_height: optionalNumber,
};

/** A block that the pool found. Unknown fields are kept. */
export interface PoolBlock extends RecordOf<typeof blockFields> {}

const hashRateSchema: v.GenericSchema<unknown, PoolHashRate> = record(hashRateFields);
const blockSchema: v.GenericSchema<unknown, PoolBlock> = record(blockFields);

const poolFields = {
  /** Addresses for miners. */
  connection_links: optional(partOf(text)),
  /** Location of the pool. */
  location: optionalText,
  /** Assets that the pool mines. */
  assets: optional(partOf(text)),
  /** Reward schemes, such as `FPPS`. */
  reward_schemes: optional(partOf(text)),
  /** Number of workers. */
  workers: optionalNumber,
  /** Hash rate now, hashes per second. */
  current_hash_rate: optionalDecimal,
  /** Hash rates of the last seven days. */
  last7days_hash_rate: optional(partOf(hashRateSchema)),
  /** The blocks that the pool found last. */
  blocks: optional(partOf(blockSchema)),
};

/** The mining pool. Unknown fields are kept. */
export interface MiningPoolData extends RecordOf<typeof poolFields> {}

const poolSchema: v.GenericSchema<unknown, MiningPoolData> = record(poolFields);

const fields = {
  /** The mining pool. */
  data: poolSchema,
};

/** The mining pool, in `data`. Unknown fields are kept. */
export interface MiningPool extends RecordOf<typeof fields> {}

/**
 * Reads the state of the mining pool: addresses, workers, hash rates and blocks. Hash rates are decimal strings of
 * hashes per second.
 *
 * @example
 * ```ts
 * exchange.public.miningPool().subscribe(({ data }) => console.log(data.workers, data.current_hash_rate));
 * ```
 */
export const miningPool: Endpoint<NoParams, MiningPool> = defineEndpoint({
  name: 'public.miningPool',
  method: 'GET',
  path: '/api/v4/public/mining-pool',
  rateLimit: tighterRateLimits({ limit: 1000, windowMs: 10_000 }),
  safety: 'read',
  response: record(fields),
});
