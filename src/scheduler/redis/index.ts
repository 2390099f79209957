/**
 * Limits that several processes behind one IP address share over Redis. Requires the package `ioredis` 5, which only
 * this entry point loads.
 *
 * @example
 * ```ts
 * import { createExchange, createScheduler } from 'exchange-rx';
 * import { shareOverRedis } from 'exchange-rx/redis';
 *
 * const redis = shareOverRedis({ url: 'redis://127.0.0.1:6379', whenRedisIsDown: { share: 0.5 } });
 * const scheduler = createScheduler({ redis });
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', scheduler });
 * ```
 *
 * @packageDocumentation
 */
export type { WhenRedisIsDown } from './cluster.js';
export { shareOverRedis, type RedisOptions } from './share-over-redis.js';
export type { SharedLimits } from '../sharing.js';
