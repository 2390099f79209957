/**
 * Limits that several processes behind one IP address share over Redis. Requires the package `ioredis` 5 or 6, which only
 * this entry point loads.
 *
 * @packageDocumentation
 */
import { optionsOf, parse, RequestError, rule, unquoted } from '../../errors/index.js';
import type { SharedLimits } from '../options.js';
import { Cluster } from './cluster.js';
import type { RedisAddress } from './connection.js';

export type { SharedLimits };

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
   * The share of each limit that this process uses while Redis is unavailable, from 0 to 1, as soon as the permits that
   * were granted over Redis have returned. The shares of all processes must add up to 1 at most.
   *
   * @default 0: no permit is granted until Redis is back
   */
  readonly shareWhenDown?: number;
}

/** It quotes nothing of the address. */
const urlForm =
  'must be "redis://host:port/database", or "rediss://" for TLS, with "user:password@" before the host if the server ' +
  'requires it: percent-encode both, with encodeURIComponent()';

const redisOptions = optionsOf<RedisOptions>(
  {
    // The address may contain a password: it is never quoted.
    url: unquoted((value) => typeof value === 'string', 'must begin with "redis://" or "rediss://"'),
    name: rule((value) => typeof value === 'string' && value !== '', 'must be a non-empty string'),
    shareWhenDown: rule((value) => typeof value === 'number' && value >= 0 && value <= 1, 'must be from 0 to 1'),
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
 * const redis = shareOverRedis({ url: 'redis://127.0.0.1:6379', shareWhenDown: 0.5 });
 * const exchange = createExchange({ baseUrl: 'https://exchange.example', scheduler: createScheduler({ redis }) });
 * ```
 *
 * @throws `RequestError` for invalid options.
 */
export function shareOverRedis(options: RedisOptions): SharedLimits {
  const { url, name = 'exchange-rx', shareWhenDown = 0 } = parse('shareOverRedis', redisOptions, options);
  const address = parseAddress(url);
  if (address === undefined) throw new RequestError('shareOverRedis', [{ field: 'url', message: urlForm }]);
  return { name, start: (report) => new Cluster({ address, name, shareWhenDown }, report) };
}

const defaultPort = 6379;
const maxPort = 65_535;
const encoded = '(?:[^\\s\\p{Cc}\\\\/?#@:%]|%[\\da-f]{2})';
const addressForm = new RegExp(
  `^redis(?<tls>s?)://(?:(?<username>${encoded}*):(?<password>(?:${encoded}|:)+)@)?` +
    String.raw`(?:\[(?<ip6>[\da-f:.]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?(?:/(?<db>\d{0,5}))?$`,
  'iu',
);

/**
 * The parts of an address; `undefined` for an invalid one. A password that is not percent-encoded can look like a host or
 * a path, so the parts are parsed strictly.
 */
function parseAddress(url: string): RedisAddress | undefined {
  const { tls, username = '', password, ip6, name = '', port, db } = addressForm.exec(url)?.groups ?? {};
  const host = ip6 ?? name;
  const given = { host, port: Number(port ?? defaultPort), isEncrypted: tls === 's', db: Number(db ?? 0) };
  if (host === '' || given.port < 1 || given.port > maxPort) return undefined;
  try {
    return {
      ...given,
      username: username === '' ? undefined : decodeURIComponent(username),
      password: password === undefined ? undefined : decodeURIComponent(password),
    };
  } catch {
    return undefined;
  }
}
