import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRecord } from '../../model/map.js';
import * as t from '../../model/tolerant.js';
import { isRequestedPage } from '../agrees-on.js';
import { oneOf, type ParamsOf, unixSeconds } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';
import { dataOf } from '../responses.js';
import { accountName, accountParams, rateLimit } from './params.js';

const intervals = ['5m', '1h', '24h'] as const;

const hashrateFields = {
  /** Start of the interval, Unix seconds. */
  timestamp: t.optionalNumber,
  /** Hash rate, in the exchange's unit: terahashes a second, as for workers. */
  hashrate: t.optionalDecimal,
  /** Part of the shares that was rejected: 0.01 is 1 %. */
  rejectRate: t.optionalNumber,
};

/** The hash rate of an interval. Unknown fields are kept. */
export interface HashrateOfInterval extends t.RecordOf<typeof hashrateFields> {}

const accountHashrateFields = {
  /** Name of the account. */
  account: t.optionalText,
  /** The empty for an account that is disabled. */
  hashrate: t.listOf<HashrateOfInterval>(t.record(hashrateFields)),
};

/** The hash rate of an account. Unknown fields are kept. */
export interface AccountHashrate extends t.RecordOf<typeof accountHashrateFields> {}

const accountHashrateParams = {
  /** Name of the account. */
  account: accountName,
  /** Only from this time on, Unix seconds. */
  from: v.exactOptional(unixSeconds),
  /** Only up to this time, Unix seconds. */
  to: v.exactOptional(unixSeconds),
  /**
   * Length of an interval.
   *
   * @default '1h'
   */
  interval: v.exactOptional(oneOf(intervals)),
};

/** Parameters of {@link accountHashrate}. */
export interface AccountHashrateParams extends ParamsOf<typeof accountHashrateParams> {}

/**
 * Reads the hash rate of an account by intervals.
 *
 * @example
 * ```ts
 * exchange.mining.accountHashrate({ account: 'rig' }).subscribe(({ hashrate }) => console.log(hashrate.at(-1)?.hashrate));
 * ```
 */
export const accountHashrate: Endpoint<AccountHashrateParams, AccountHashrate> = defineEndpoint({
  name: 'mining.accountHashrate',
  path: '/api/v4/mining/hashrate',
  rateLimit,
  safety: 'read',
  request: v.strictObject(accountHashrateParams),
  response: dataOf<AccountHashrate>(t.record(accountHashrateFields)),
});

const workersFields = {
  /** Workers online. */
  online: t.optionalNumber,
  /** Workers offline. */
  offline: t.optionalNumber,
  /** Workers with a low hash rate. */
  low: t.optionalNumber,
};

/** The workers of an account by state. Unknown fields are kept. */
export interface WorkerCounts extends t.RecordOf<typeof workersFields> {}

const stratumFields = {
  /** Address of the server. */
  url: t.optionalText,
  /** Workers that are connected to it. */
  workersCount: t.optionalNumber,
};

/** A server of the pool. Unknown fields are kept. */
export interface StratumServer extends t.RecordOf<typeof stratumFields> {}

const infoFields = {
  /** Fee of the pool, percent. */
  fee: t.optionalDecimal,
  /** The workers by state. */
  workers: t.optional<WorkerCounts>(t.record(workersFields)),
  /** The servers of the pool. */
  stratum: t.optional(t.partOf<StratumServer>(t.record(stratumFields))),
};

/** Fee, workers and servers of an account. Unknown fields are kept. */
export interface MinerInfo extends t.RecordOf<typeof infoFields> {}

/** Parameters that name an account of the pool. */
export interface MiningAccountParams extends ParamsOf<typeof accountParams> {}

/**
 * Reads fee, workers and servers of an account.
 *
 * @example
 * ```ts
 * exchange.mining.minerInfo({ account: 'rig' }).subscribe(({ fee, workers }) => console.log(fee, workers?.online));
 * ```
 */
export const minerInfo: Endpoint<MiningAccountParams, MinerInfo> = defineEndpoint({
  name: 'mining.minerInfo',
  path: '/api/v4/mining/miners/info',
  rateLimit,
  safety: 'read',
  request: v.strictObject(accountParams),
  response: dataOf<MinerInfo>(t.record(infoFields)),
});

const namesFields = {
  /** Names of the workers that are online, in the order of their names. */
  workers: t.listOf(t.text),
  /** Number of workers that were skipped. */
  offset: t.optionalNumber,
  /** Maximum number of workers of the page. */
  limit: t.optionalNumber,
};

/** The workers that are online. Unknown fields are kept. */
export interface WorkerNames extends t.RecordOf<typeof namesFields> {}

/** The exchange wraps the workers, and not where their page is. */
const namesSchema: v.GenericSchema<unknown, WorkerNames> = v.pipe(
  v.unknown(),
  v.transform((response): unknown => {
    if (!isRecord(response)) return response;
    const { data, ...page } = response;
    return isRecord(data) ? { ...page, ...data } : response;
  }),
  t.record(namesFields),
);

/** Parameters of {@link workerNames}. */
export interface WorkerNamesParams extends PageParams, MiningAccountParams {}

/**
 * Lists a page of the workers of an account that are online, 100 without `limit`.
 *
 * @example
 * ```ts
 * exchange.mining.workerNames({ account: 'rig' }).subscribe(({ workers }) => console.log(workers));
 * ```
 */
export const workerNames: Endpoint<WorkerNamesParams, WorkerNames> = defineEndpoint({
  name: 'mining.workerNames',
  path: '/api/v4/mining/workers/names',
  rateLimit,
  safety: 'read',
  page: { defaultLimit: 100 },
  request: v.strictObject({ ...accountParams, ...pageParams }),
  response: namesSchema,
  matchesRequest: isRequestedPage,
});

const workerRateFields = {
  /** Start of the interval, Unix seconds. */
  time: t.optionalNumber,
  /** Hash rate, terahashes a second. */
  hashrate: t.optionalDecimal,
};

/** The hash rate of a worker in an interval. Unknown fields are kept. */
export interface WorkerRate extends t.RecordOf<typeof workerRateFields> {}

const workerHashrateFields = {
  /** The intervals. */
  hashrates: t.listOf<WorkerRate>(t.record(workerRateFields)),
};

/** The hash rate of a worker. Unknown fields are kept. */
export interface WorkerHashrate extends t.RecordOf<typeof workerHashrateFields> {}

const workerHashrateParams = {
  /** Name of the account. */
  account: accountName,
  /** Name of the worker. */
  worker: accountName,
  /**
   * Length of an interval.
   *
   * @default '1h'
   */
  interval: v.exactOptional(oneOf(intervals)),
  /** Only from this time on, Unix seconds. */
  from: v.exactOptional(unixSeconds),
  /** Only up to this time, Unix seconds. */
  to: v.exactOptional(unixSeconds),
};

/** Parameters of {@link workerHashrate}. */
export interface WorkerHashrateParams extends ParamsOf<typeof workerHashrateParams> {}

/**
 * Reads the hash rate of a worker by intervals.
 *
 * @example
 * ```ts
 * exchange.mining
 *   .workerHashrate({ account: 'rig', worker: 's19-1', interval: '24h' })
 *   .subscribe(({ hashrates }) => console.log(hashrates.length));
 * ```
 */
export const workerHashrate: Endpoint<WorkerHashrateParams, WorkerHashrate> = defineEndpoint({
  name: 'mining.workerHashrate',
  path: '/api/v4/mining/workers/hashrate',
  rateLimit,
  safety: 'read',
  request: v.strictObject(workerHashrateParams),
  response: dataOf<WorkerHashrate>(t.record(workerHashrateFields)),
});
