/**
 * Limits that several processes behind one address share over Redis. Needs the package `ioredis` 5, which only this
 * entry point loads.
 *
 * @example
 * ```ts
 * import { createExchange, createScheduler } from 'exchange-rx';
 * import { shareOverRedis } from 'exchange-rx/redis';
 *
 * const scheduler = createScheduler({ redis: shareOverRedis({ url: 'redis://127.0.0.1:6379', whenRedisIsDown: { share: 0.5 } }) });
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', scheduler });
 * ```
 *
 * @packageDocumentation
 */
export { shareOverRedis, type RedisOptions, type WhenRedisIsDown } from './share-over-redis.js';
export type { SharedLimits } from '../sharing.js';
