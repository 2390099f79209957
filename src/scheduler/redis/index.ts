/**
 * Limits that several processes behind one IP address share over Redis. Requires the package `ioredis` 5 or 6, which only
 * this entry point loads.
 *
 * @packageDocumentation
 */
import * as v from 'valibot';
import { optionsOf, parse, RequestError, rule, unquoted } from '../../errors/index.js';
import type { SharedLimits } from '../options.js';
import { Cluster, type WhenRedisIsDown } from './cluster.js';
import { parseAddress } from './connection.js';

export type { SharedLimits, WhenRedisIsDown };

/** Options of {@link shareOverRedis}. */
export interface RedisOptions {
  /**
   * Address of the server: `redis://127.0.0.1:6379`, or `rediss://` for TLS. User, password and database number are
   * optional: `rediss://user:password@host:6379/1`. The password is percent-encoded: `encodeURIComponent(password)`. An
   * invalid address is refused without being quoted.
   */
  readonly url: string;
  /**
   * Processes that use the same name share their limits. Use one name per IP address that requests are sent from.
   *
   * @default 'exchange-rx'
   */
  readonly name?: string;
  /**
   * What to do while Redis is unavailable, at the start or later.
   *
   * @default 'wait'
   */
  readonly whenRedisIsDown?: WhenRedisIsDown;
}

const aPart = rule<number>(
  (value) => typeof value === 'number' && value > 0 && value <= 1,
  'must be above 0 and at most 1',
);
const aShare = optionsOf<Extract<WhenRedisIsDown, object>>({ share: aPart }, ['share']);
const wait = rule<'wait'>((value) => value === 'wait', 'must be "wait" or { share }');

const redisOptions = optionsOf<RedisOptions>(
  {
    // The address may contain a password: it is never quoted.
    url: unquoted((value) => typeof value === 'string', 'must begin with "redis://" or "rediss://"'),
    name: rule((value) => typeof value === 'string' && value !== '', 'must be a non-empty string'),
    whenRedisIsDown: v.lazy((value) => (typeof value === 'object' && value !== null ? aShare : wait)),
  },
  ['url'],
);

/**
 * Shares the limits of a scheduler with the other processes behind the same IP address, over Redis 7 or later. Connects
 * when the scheduler is made, and reconnects by itself. Requires the package `ioredis` 5 or 6. The scheduler reports its
 * state as {@link SharingEvent}.
 *
 * @example
 * ```ts
 * import { createExchange, createScheduler } from 'exchange-rx';
 * import { shareOverRedis } from 'exchange-rx/redis';
 *
 * const redis = shareOverRedis({ url: 'redis://127.0.0.1:6379', whenRedisIsDown: { share: 0.5 } });
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', scheduler: createScheduler({ redis }) });
 * ```
 *
 * @throws `RequestError` for invalid options.
 */
export function shareOverRedis(options: RedisOptions): SharedLimits {
  const { url, name = 'exchange-rx', whenRedisIsDown = 'wait' } = parse('shareOverRedis', redisOptions, options);
  const address = parseAddress(url);
  if (typeof address === 'string') throw new RequestError('shareOverRedis', [{ field: 'url', message: address }]);
  return { name, start: (report) => new Cluster({ address, name, whenRedisIsDown }, report) };
}
