// The limit that processes agree on: each announces its own, and the lowest of the live processes applies to all, so
// that a rolling deployment can change a limit. One script announces and agrees atomically: no process grants by a
// limit that another has just lowered. The script also validates the keys of Bottleneck, which would trust any value.
import type { Redis } from 'ioredis';
import { createHash } from 'node:crypto';
import { quote } from '../../errors/index.js';
import { SharingFailure } from './failure.js';

/** The parts of a limit: for all requests, and the reserve for urgent ones. */
export interface Parts {
  readonly main: number;
  readonly reserved: number;
}

/** What one process announces of a rate limit. */
export interface Announcement extends Parts {
  /** Name of the rate limit. */
  readonly name: string;
  /** The prefix of its keys. */
  readonly id: string;
  /** Identifies the process. */
  readonly token: string;
  readonly windowMs: number;
  /** How long the announcement is valid: until every permit has returned if the process dies now. Milliseconds. */
  readonly holdsMs: number;
}

/**
 * How a limit is announced:
 * - `announce`: it is valid for {@link Announcement.holdsMs}.
 * - `count`: as `announce`; also counts the permits one by one, and wakes the processes that wait for permits.
 * - `wake`: as `count`, for a limit that rested: Bottleneck may have forgotten the limiters of this process.
 * - `rest`: it is valid while this process is alive. For a limit without permits in use.
 */
export type AnnounceMode = 'announce' | 'count' | 'wake' | 'rest';

export interface Agreement {
  /**
   * Announces the limit, and resolves to the lowest announced one, which applies to all from now on. Rejects with
   * {@link SharingFailure}.
   *
   * @param clients the limiters of this process, for `wake`
   */
  readonly announce: (announcement: Announcement, mode: AnnounceMode, clients?: readonly string[]) => Promise<Parts>;
  /**
   * Announces the limit again for {@link Announcement.holdsMs}, in at most five commands, while no request waits. Resolves
   * to how many permits of each limiter are in use.
   *
   * @param clients the limiters of this process, or empty names: Bottleneck forgets limiters after ten seconds
   */
  readonly keep: (announcement: Announcement, clients: readonly string[]) => Promise<readonly number[]>;
  /** Rejects where {@link announce} would, and changes nothing. */
  readonly check: (announcement: Announcement) => Promise<void>;
}

/** The key of the processes that are alive, each with the time until which it is, Unix ms. */
export function processesKey(cluster: string, runId: string): string {
  return `${cluster}:${runId}:processes`;
}

/** The message to the processes that share a rate limit: the limit that applies to all has changed. */
export const limitChanged = 'limit';

/** Redis deletes a limiter that no process has used for this time, milliseconds. */
export const forgottenMs = 24 * 3_600_000;

/** The keys of one Bottleneck limiter. */
const keysOfPart = [
  'settings',
  'job_weights',
  'job_expirations',
  'job_clients',
  'client_running',
  'client_num_queued',
  'client_last_registered',
  'client_last_seen',
];

/**
 * `KEYS`: the announcements, then the eight keys of Bottleneck for all requests, then those for urgent ones, then the
 * processes that are alive. `ARGV`: token of the announcement; its two parts; its window; how long it is valid; after
 * which time Redis deletes a limiter; the ids of the two limiters; `check` or {@link AnnounceMode}; this process; the
 * clients of its two limiters. Returns `invalid`, or `window` and the window of the others, or `agreed` and the lowest
 * parts.
 *
 * More permits may be in use than any process announces now: those of processes that are gone. They are counted one by
 * one, and expire no later than the announcements. Bottleneck uses the clock of the process: one whose clock is wrong
 * may have stored an expiry, or a `nextRequest`, that is hours ahead. Both are corrected. `nextRequest` is never ahead
 * otherwise, because no process uses `minTime`.
 */
const script = `
  local token, window, forgotten, mode = ARGV[1], ARGV[4], tonumber(ARGV[6]), ARGV[9]
  local own, ids = { tonumber(ARGV[2]), tonumber(ARGV[3]) }, { ARGV[7], ARGV[8] }
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)

  local function has(key, expected)
    local found = redis.call('TYPE', key).ok
    return found == 'none' or found == expected
  end
  local function number(text)
    return text and #text <= 15 and string.match(text, '^%d+$') and tonumber(text)
  end

  if not has(KEYS[1], 'hash') or not has(KEYS[18], 'zset') or redis.call('HLEN', KEYS[1]) > 1000 then return { 'invalid' } end
  local smallest, largest, latest, otherWindow = { own[1], own[2] }, { own[1], own[2] }, now + tonumber(ARGV[5]), nil
  local announced = redis.call('HGETALL', KEYS[1])
  for index = 1, #announced, 2 do
    local main, reserved, others, ends = string.match(announced[index + 1], '^(%d+) (%d+) (%d[%w.+-]*) (%S+)$')
    local process = ends and string.match(ends, '^@(%S+)$')
    if process then ends = redis.call('ZSCORE', KEYS[18], process) end
    main, reserved, ends = number(main), number(reserved), number(ends)
    if not main or not reserved or not ends or main == 0 or ends <= now or ends > now + forgotten then
      if mode ~= 'check' then redis.call('HDEL', KEYS[1], announced[index]) end
    elseif announced[index] ~= token then
      if others ~= window then otherWindow = others end
      smallest = { math.min(smallest[1], main), math.min(smallest[2], reserved) }
      largest = { math.max(largest[1], main), math.max(largest[2], reserved) }
      latest = math.max(latest, ends)
    end
  end

  local isWaiting = { false, false }
  local types = { 'hash', 'hash', 'zset', 'hash', 'zset', 'hash', 'zset', 'zset' }
  for part = 0, 1 do
    local first = 2 + 8 * part
    for index = 1, 8 do
      if not has(KEYS[first + index - 1], types[index]) then return { 'invalid' } end
    end
    if redis.call('EXISTS', KEYS[first]) == 1 then
      local constants, names, values = {
        'id', ids[part + 1], 'minTime', '0', 'highWater', '', 'strategy', '1', 'penalty', '', 'reservoir', '', 'reservoirRefreshInterval', '',
        'reservoirRefreshAmount', '', 'reservoirIncreaseInterval', '', 'reservoirIncreaseAmount', '', 'reservoirIncreaseMaximum', '',
        'groupTimeout', ARGV[6], 'clientTimeout', '10000', 'unblockTime', '0'
      }, {}, {}
      for index = 1, #constants, 2 do
        table.insert(names, constants[index])
        table.insert(values, constants[index + 1])
      end
      for index, found in ipairs(redis.call('HMGET', KEYS[first], unpack(names))) do
        if found ~= values[index] then return { 'invalid' } end
      end
      local counters = redis.call('HMGET', KEYS[first], 'maxConcurrent', 'running', 'nextRequest', 'done', 'capacityPriorityCounter')
      for index = 1, 5 do
        if not number(counters[index]) then return { 'invalid' } end
      end
      local version = redis.call('HGET', KEYS[first], 'version')
      if not version or not string.match(version, '^%d+%.%d+%.%d+$') then return { 'invalid' } end
      local running, jobs = tonumber(counters[2]), redis.call('HLEN', KEYS[first + 1])
      if running < jobs or (jobs == 0 and running > 0) or redis.call('ZCARD', KEYS[first + 2]) ~= jobs then return { 'invalid' } end
      for _, queued in ipairs(redis.call('HVALS', KEYS[first + 5])) do
        if not string.match(queued, '^-?%d+$') then return { 'invalid' } end
        isWaiting[part + 1] = isWaiting[part + 1] or tonumber(queued) > 0
      end
      if (mode ~= 'announce' and mode ~= 'rest') or running > largest[part + 1] then
        local sum = 0
        for _, weight in ipairs(redis.call('HVALS', KEYS[first + 1])) do sum = sum + (number(weight) or 0) end
        if sum ~= running then return { 'invalid' } end
      end
    end
  end

  if otherWindow then return { 'window', otherWindow } end
  if mode == 'check' then return { 'agreed' } end

  local valid = mode == 'rest' and '@' .. ARGV[10] or string.format('%.0f', now + tonumber(ARGV[5]))
  redis.call('HSET', KEYS[1], token, string.format('%.0f %.0f %s %s', own[1], own[2], window, valid))
  redis.call('PEXPIRE', KEYS[1], forgotten)
  for part = 1, 2 do
    local settings = KEYS[8 * part - 6]
    if redis.call('EXISTS', settings) == 1 then
      local before = tonumber(redis.call('HGET', settings, 'maxConcurrent'))
      if before ~= smallest[part] then
        redis.call('HSET', settings, 'maxConcurrent', string.format('%.0f', smallest[part]))
        redis.call('PUBLISH', 'b_' .. ids[part], 'message:${limitChanged}')
      end
      if tonumber(redis.call('HGET', settings, 'nextRequest')) > now then redis.call('HSET', settings, 'nextRequest', string.format('%.0f', now)) end
      local expirations = KEYS[8 * part - 4]
      local ends = string.format('%.0f', latest)
      for _, job in ipairs(redis.call('ZRANGEBYSCORE', expirations, '(' .. ends, '+inf')) do redis.call('ZADD', expirations, ends, job) end
      local client, seen = ARGV[10 + part], KEYS[8 * part + 1]
      if mode == 'wake' and client ~= '' then
        if not redis.call('ZSCORE', seen, client) then
          redis.call('ZADD', KEYS[8 * part - 2], 0, client)
          redis.call('HSET', KEYS[8 * part - 1], client, 0)
          redis.call('ZADD', KEYS[8 * part], 0, client)
        end
        redis.call('ZADD', seen, string.format('%.0f', now), client)
      end
      if before < smallest[part] or (mode == 'count' and isWaiting[part]) then redis.call('PUBLISH', 'b_' .. ids[part], 'capacity:') end
      for key = 8 * part - 6, 8 * part + 1 do redis.call('PEXPIRE', KEYS[key], forgotten) end
    end
  end
  return { 'agreed', smallest[1], smallest[2] }
`;
/** Redis runs a script that it has received by its hash: the script is long, and runs with each beat. */
const scriptHash = createHash('sha1').update(script).digest('hex');

/**
 * @param name the name that the processes share
 * @param process this process among {@link processesKey}
 */
export function createAgreement(
  client: Pick<Redis, 'eval' | 'evalsha' | 'pipeline'>,
  name: string,
  runId: string,
  process: string,
): Agreement {
  const run = async (
    { name: rateLimit, id, token, main, reserved, windowMs, holdsMs }: Announcement,
    mode: 'check' | AnnounceMode,
    [ofMain = '', ofReserve = '']: readonly string[] = [],
  ): Promise<readonly unknown[]> => {
    const ids = partIds(id);
    const keys = [
      `${id}:limits`,
      ...ids.flatMap((part) => keysOfPart.map((key) => `b_${part}_${key}`)),
      processesKey(name, runId),
    ];
    const words = [
      ...keys,
      token,
      main,
      reserved,
      windowMs,
      Math.ceil(Math.min(holdsMs, forgottenMs)),
      forgottenMs,
      ...ids,
      mode,
      process,
      ofMain,
      ofReserve,
    ];
    const reply: unknown = await client.evalsha(scriptHash, keys.length, ...words).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
        return client.eval(script, keys.length, ...words);
      throw error;
    });
    const [result, ...values] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
    if (result === 'agreed') return values;
    if (result === 'window') throw otherWindow(rateLimit, windowMs, values[0]);
    throw invalidKeys(rateLimit, name);
  };
  return {
    async announce(announcement, mode, clients) {
      const counts = await run(announcement, mode, clients);
      const [main, reserved] = counts.map((count) => checkCount(count, announcement.name, name));
      if (main === undefined || reserved === undefined) throw invalidKeys(announcement.name, name);
      // A process never takes more than it announced, whatever Redis returns.
      return { main: Math.min(main, announcement.main), reserved: Math.min(reserved, announcement.reserved) };
    },
    async keep({ name: rateLimit, id, token, main, reserved, windowMs, holdsMs }, clients) {
      const now = Date.now();
      const ends = Math.ceil(now + Math.min(holdsMs, forgottenMs));
      const commands = client.pipeline().hset(`${id}:limits`, token, `${main} ${reserved} ${windowMs} ${ends}`);
      const counts = partIds(id).slice(0, clients.length);
      for (const part of counts) commands.hget(`b_${part}_settings`, 'running');
      for (const [index, part] of counts.entries()) {
        const seen = clients[index] ?? '';
        if (seen !== '') commands.zadd(`b_${part}_client_last_seen`, 'XX', now, seen);
      }
      const replies = (await commands.exec()) ?? [];
      for (const [error] of replies) if (error !== null) throw error;
      return counts.map((_, index) => {
        const count = replies[1 + index]?.[1];
        if (count === null) throw new SharingFailure('Redis was flushed', 'forgotten');
        return checkCount(
          typeof count === 'string' && /^\d{1,15}$/.test(count) ? Number(count) : count,
          rateLimit,
          name,
        );
      });
    },
    async check(announcement) {
      await run(announcement, 'check');
    },
  };
}

/** The Bottleneck ids of the two limiters of a rate limit. */
export function partIds(id: string): [main: string, reserve: string] {
  return [`${id}:all`, `${id}:urgent`];
}

/** Keys hold data that this package did not write. */
function invalidKeys(rateLimit: string, name: string): SharingFailure {
  const keys = `delete the keys that begin with "b_${name}:" and with "${name}:"`;
  return new SharingFailure(
    `Redis keys of rate limit "${rateLimit}" hold data that this package did not write: ${keys}`,
    'forgotten',
    true,
  );
}

/** A count from Redis; throws {@link SharingFailure} for anything else. */
export function checkCount(count: unknown, rateLimit: string, name: string): number {
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
  throw invalidKeys(rateLimit, name);
}

function otherWindow(rateLimit: string, windowMs: number, others: unknown): SharingFailure {
  const [own, other] = [windowMs, Number(others)].map((ms) => `${quote(ms)} ms`);
  const advice = 'stop them first, or pass another name to shareOverRedis()';
  return new SharingFailure(
    `rate limit "${rateLimit}" has a window of ${own} here and ${other} in the processes that share it: ${advice}`,
    'refused',
    true,
  );
}
