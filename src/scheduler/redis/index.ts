export { Cluster, type RedisOptions, type WhenRedisIsDown } from './cluster.js';
export { hasRedisClient } from './connection.js';
