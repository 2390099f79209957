// The Redis server behind a connection: its version, identity and clock.
import { SharingFailure } from './failure.js';

/** A server, as the processes that share limits identify it. */
export interface RedisServer {
  /** Changes with each start of the server. */
  readonly runId: string;
  /**
   * Changes with each start of the server, with each promotion from replica to primary (the new primary may lack grants
   * of the old one), and when the server gets its first replica.
   */
  readonly identity: string;
}

/** The commands that {@link readServer} uses. */
interface Client {
  info(section: string): Promise<string>;
  time(): Promise<(number | string)[]>;
}

/** In older versions, Bottleneck starts from nothing without an error when the server was flushed. */
const minVersion = 7;
/**
 * Bottleneck's scripts use the clocks of the processes: a lease of a process whose clock is behind would expire early
 * for the others.
 */
export const maxSkewMs = 1000;
/** More digits are no count of milliseconds or seconds. */
const maxDigits = 15;

/** Throws {@link SharingFailure} for a server that is too old or a replica, or whose clock differs from ours. */
export async function readServer(client: Client): Promise<RedisServer> {
  const info = `${await client.info('server')}\n${await client.info('replication')}`;
  const field = (name: string, pattern: string) => new RegExp(`^${name}:(${pattern})`, 'm').exec(info)?.[1];
  const [version, runId, replicationId] = [
    field('redis_version', '\\d{1,4}'),
    field('run_id', '\\w{1,64}'),
    field('master_replid', '\\w{1,64}'),
  ];
  if (version === undefined || runId === undefined || replicationId === undefined)
    throw new SharingFailure('the server returned no valid version, run id or replication id');
  if (Number(version) < minVersion)
    throw new SharingFailure(`the server is Redis ${version}: ${minVersion} or later is required`);
  if (field('role', 'master\\b') === undefined)
    throw new SharingFailure('the server is a replica: connect to its primary');

  const requestedAt = Date.now();
  const serverTime = await serverTimeOf(client);
  const skewMs = Math.max(serverTime - Date.now(), requestedAt - serverTime, 0);
  if (skewMs > maxSkewMs)
    throw new SharingFailure(
      `the clocks of this machine and of Redis differ by more than ${Math.floor(skewMs / 1000)} s: synchronize them with NTP`,
      undefined,
      true,
    );
  return { runId, identity: `${runId}:${replicationId}` };
}

/** Unix ms, by the server's clock. */
async function serverTimeOf(client: Pick<Client, 'time'>): Promise<number> {
  const [seconds, micros] = (await client.time()).map((part) => (isDigits(String(part)) ? Number(part) : Number.NaN));
  const time = Number(seconds) * 1000 + Number(micros) / 1000;
  if (!Number.isFinite(time)) throw new SharingFailure('the server returned no valid time');
  return time;
}

function isDigits(text: string): boolean {
  return text.length <= maxDigits && /^\d+$/.test(text);
}
