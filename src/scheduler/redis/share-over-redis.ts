// What those who share their limits give their scheduler. Importing this loads the Redis client; nothing else of the
// package does.
import { checkByRules, nested, type OptionRules, RequestError, type Rule, quote } from '../../errors/index.js';
import type { SharedLimits } from '../sharing.js';
import { readAddress } from './address.js';
import { Cluster } from './cluster.js';

/** Where limits are shared, and among whom: options of {@link shareOverRedis}. */
export interface RedisOptions {
  /**
   * Address of the server: `redis://127.0.0.1:6379`, or `rediss://` for TLS, with user and password where the server
   * requires them and the number of a database where it is not 0: `rediss://user:password@host:6379/1`. A password is
   * percent-encoded: `encodeURIComponent(password)`. An address that breaks these rules is refused, and is not shown.
   */
  readonly url: string;
  /**
   * Processes that name the same share their limits: one name for each address that requests come from. Default
   * `exchange-rx`.
   */
  readonly name?: string;
  /** What to do when Redis is not there, at the start or later. Default `wait`. */
  readonly whenRedisIsDown?: WhenRedisIsDown;
}

/**
 * What to do when Redis is not there:
 * - `wait`: no permits are given out until it is back.
 * - `{ share }`: once the permits that were out have come back, go on with this share of each limit, above 0 and at
 *   most 1. The shares of all processes together must not be above 1.
 */
export type WhenRedisIsDown =
  | 'wait'
  | {
      /** The part of each limit that this process goes on with, above 0 and at most 1. */
      readonly share: number;
    };

const shareRule = nested<Extract<WhenRedisIsDown, object>>(
  {
    share: (value) =>
      typeof value === 'number' && value > 0 && value <= 1
        ? undefined
        : `${quote(value)} must be above 0 and at most 1`,
  },
  ['share'],
);
const isWayToGoOn: Rule = (value, where) => {
  if (value === 'wait') return undefined;
  return typeof value === 'object' && value !== null
    ? shareRule(value, where)
    : `${quote(value)} must be "wait" or { share }`;
};

const rules: OptionRules<RedisOptions> = {
  // The address may hold a password: it is not shown.
  url: (value) => (typeof value === 'string' ? undefined : 'must begin with "redis://" or "rediss://"'),
  name: (value) =>
    typeof value === 'string' && value !== '' ? undefined : `${quote(value)} must be a non-empty string`,
  whenRedisIsDown: isWayToGoOn,
};

/**
 * Shares the limits of a scheduler with the other processes behind the same address, over Redis 7 or later. Connects
 * when the scheduler is made, and again by itself when Redis was away. Needs the package `ioredis` 5. Throws
 * `RequestError` for bad options.
 *
 * @example
 * ```ts
 * import { createScheduler } from 'exchange-rx';
 * import { shareOverRedis } from 'exchange-rx/redis';
 *
 * const scheduler = createScheduler({ redis: shareOverRedis({ url: 'redis://127.0.0.1:6379' }) });
 * ```
 */
export function shareOverRedis(options: RedisOptions): SharedLimits {
  checkByRules('shareOverRedis', options, rules, ['url']);
  const { url, name = 'exchange-rx', whenRedisIsDown = 'wait' } = options;
  const address = readAddress(url);
  if (typeof address === 'string') throw new RequestError('shareOverRedis', [{ field: 'url', message: address }]);
  return { name, start: (report) => new Cluster({ address, name, whenRedisIsDown }, report) };
}
