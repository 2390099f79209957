import type * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { tighterRateLimits } from '../rate-limits.js';

const hashRateFields = {
  /** Time, Unix seconds. */
  timestamp: t.optionalNumber,
  /** Hash rate, hashes per second. */
  hashrate: t.optionalDecimal,
};

/** The hash rate at a time. Unknown fields are kept. */
export interface PoolHashRate extends t.RecordOf<typeof hashRateFields> {}

const blockFields = {
  /** Time at which the pool found the block, Unix seconds. */
  block_found_at: t.optionalNumber,
  /** Height of the block. */
  block_height: t.optionalNumber,
};

/** A block that the pool found. Unknown fields are kept. */
export interface PoolBlock extends t.RecordOf<typeof blockFields> {}

const hashRateSchema: v.GenericSchema<unknown, PoolHashRate> = t.record(hashRateFields);
const blockSchema: v.GenericSchema<unknown, PoolBlock> = t.record(blockFields);

const poolFields = {
  /** Addresses for miners. */
  connection_links: t.optional(t.partOf(t.text)),
  /** Location of the pool. */
  location: t.optionalText,
  /** Assets that the pool mines. */
  assets: t.optional(t.partOf(t.text)),
  /** Reward schemes, such as `FPPS`. */
  reward_schemes: t.optional(t.partOf(t.text)),
  /** Number of workers. */
  workers: t.optionalNumber,
  /** Hash rate now, hashes per second. */
  current_hash_rate: t.optionalDecimal,
  /** Hash rates of the last seven days. */
  last7days_hash_rate: t.optional(t.partOf(hashRateSchema)),
  /** The blocks that the pool found last. */
  blocks: t.optional(t.partOf(blockSchema)),
};

/** The mining pool. Unknown fields are kept. */
export interface MiningPoolData extends t.RecordOf<typeof poolFields> {}

const poolSchema: v.GenericSchema<unknown, MiningPoolData> = t.record(poolFields);

const fields = {
  /** The mining pool. */
  data: poolSchema,
};

/** The mining pool, in `data`. Unknown fields are kept. */
export interface MiningPool extends t.RecordOf<typeof fields> {}

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
  rateLimit: tighterRateLimits(1000),
  safety: 'read',
  response: t.record(fields),
});
