// A connection to Redis that is used until it is lost, and then no more: what this process held through it comes back as the permits of
// a process that died do.
import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';

/** What a connection tells of the server. */
export interface RedisServer {
  /** Another after each start of the server: it may have forgotten what it knew. */
  readonly runId: string;
  /** Since when it has not forgotten anything, by `performance.now()`: when it was started, or emptied. Not before that. */
  readonly remembersSince: number;
}

export interface RedisConnection extends RedisServer {
  /** For Bottleneck. */
  readonly connection: Bottleneck.IORedisConnection;
  /** Tells the value that the first process gave this key. */
  readonly agree: (key: string, value: string) => Promise<string | null>;
  /** Closes it, and leaves word for those who connect next that the server was emptied. */
  readonly closeEmptied: () => void;
  readonly close: () => void;
}

/** Older servers let Bottleneck begin anew without a word when they were emptied. */
const oldestVersion = 7;

/** Bottleneck's scripts go by the clocks of the processes: a lease of one whose clock is behind would end early for the others. */
const mostSkewMs = 1000;
const connectTimeoutMs = 2000;
/** How long what was agreed on is kept, seconds. */
const agreedForS = 24 * 3600;
/** Longer than any permit is out. */
const emptiedForS = 3600;

/** Connects; fails when there is no server, or when its clock is not ours. `onLost` is called once at most, after it has succeeded. */
export async function connectRedis(url: string, cluster: string, onLost: (reason: string) => void): Promise<RedisConnection> {
  const emptiedKey = `${cluster}:emptied`;
  const opened: Redis[] = [];
  let reason = 'the connection was closed';
  let lost = false;
  let ready = false;

  let connection: Bottleneck.IORedisConnection | undefined;

  const close = () => {
    lost = true;
    // Bottleneck's own heartbeats end with its connection.
    connection?.disconnect(false).catch(() => undefined);
    // One that has ended would only wait two seconds more, and keep the process alive for them.
    for (const client of opened) if (client.status !== 'end') client.disconnect();
  };
  /** Sockets do not keep the process alive: those who wait for a permit do. */
  const watch = (client: Redis) => {
    opened.push(client);
    client.on('connect', () => client.stream.unref());
    client.on('error', (error: Error) => {
      reason = error.message;
    });
    client.on('end', () => {
      if (lost) return;
      close();
      if (ready) onLost(reason);
    });
    return client;
  };

  const main = watch(new Redis(url, { retryStrategy: () => null, connectTimeout: connectTimeoutMs, maxRetriesPerRequest: 0, autoResubscribe: false }));
  // Bottleneck makes itself a second one, to subscribe with.
  const duplicate = main.duplicate.bind(main);
  main.duplicate = (override) => watch(duplicate(override));

  try {
    const server = await within(connectTimeoutMs, readServer(main, emptiedKey));
    connection = new Bottleneck.IORedisConnection({ client: main });
    connection.on('error', (error: unknown) => {
      reason = describe(error);
    });
    await within(connectTimeoutMs, Promise.all(opened.map(untilReady)));
    ready = true;
    const agree = async (key: string, value: string) => {
      await main.set(key, value, 'EX', agreedForS, 'NX');
      return main.get(key);
    };
    const closeEmptied = () => {
      const mark = async () => main.set(emptiedKey, await serverTimeOf(main), 'EX', emptiedForS);
      mark().then(close, close);
    };
    return { ...server, connection, agree, closeEmptied, close };
  } catch (error) {
    close();
    throw new Error(error instanceof Error && error.message !== 'Connection is closed.' ? error.message : reason, { cause: error });
  }
}

/** What {@link readServer} asks of a client. */
interface Client {
  info(section: string): Promise<string>;
  time(): Promise<(number | string)[]>;
  get(key: string): Promise<string | null>;
}

async function readServer(client: Client, emptiedKey: string): Promise<RedisServer> {
  const info = await client.info('server');
  const version = /^redis_version:(\d+)/m.exec(info)?.[1];
  const uptime = /^uptime_in_seconds:(\d+)/m.exec(info)?.[1];
  const runId = /^run_id:(\w+)/m.exec(info)?.[1];
  if (version === undefined || uptime === undefined || runId === undefined) throw new Error('the server does not tell what it is');
  if (Number(version) < oldestVersion) throw new Error(`the server is Redis ${version}: ${oldestVersion} or later is needed`);

  const asked = Date.now();
  const serverTime = await serverTimeOf(client);
  const skewMs = Math.max(serverTime - Date.now(), asked - serverTime, 0);
  if (skewMs > mostSkewMs) throw new Error(`the clocks differ by ${Math.round(skewMs)} ms: let NTP set them`);

  const emptiedAt = Number((await client.get(emptiedKey)) ?? 0);
  const rememberedMs = Math.min(Number(uptime) * 1000, serverTime - emptiedAt);
  return { runId, remembersSince: performance.now() - rememberedMs };
}

/** Unix ms, by the server's clock. */
async function serverTimeOf(client: Pick<Client, 'time'>): Promise<number> {
  const [seconds, micros] = await client.time();
  return Number(seconds) * 1000 + Number(micros) / 1000;
}

function untilReady(client: { readonly status: string; once(event: 'ready' | 'end', listener: () => void): unknown }): Promise<void> {
  if (client.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    client.once('ready', resolve);
    client.once('end', () => {
      reject(new Error('Connection is closed.'));
    });
  });
}

async function within<T>(ms: number, result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${ms} ms`));
    }, ms).unref();
  });
  return Promise.race([result, late]).finally(() => {
    clearTimeout(timer);
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
