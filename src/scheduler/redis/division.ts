// How Redis divides the limits among processes: one hash with a record of each process, and one script. A process claims
// the permits that it holds and those that it wants; the script checks all records, grants what is free, and writes the
// record. Only the clock of Redis is used: the clocks of the processes may differ.
import { createHash } from 'node:crypto';
import { quote } from '../../errors/index.js';
import { urgentShare } from '../rate-limiter.js';
import { SharingFailure, type RedisConnection, type Script } from './connection.js';

/** What a process claims of one rate limit. */
export interface Claim {
  readonly rateLimit: string;
  /** How many permits there are if no process claims that there are fewer. */
  readonly permits: number;
  readonly windowMs: number;
  /** How long the held permits count if the process dies now, milliseconds. */
  readonly lifeMs: number;
  /** Nothing is granted before Redis knows the grants of this time, milliseconds. */
  readonly waitMs: number;
  readonly held: number;
  /** How many of the held permits urgent requests use. */
  readonly heldUrgent: number;
  readonly wanted: number;
  /** How many of the wanted permits are for urgent requests. */
  readonly wantedUrgent: number;
  /** When the cool-down ends that this process announced, Unix ms by the clock of Redis. */
  readonly closedUntil: number;
}

export interface Share {
  readonly granted: number;
  /** The lowest number of permits that a process claims: it applies to all. */
  readonly permits: number;
  /** Permits that no process holds. */
  readonly free: number;
  /** When the last cool-down ends that another process announced, Unix ms by the clock of Redis; 0 without one. */
  readonly closedUntil: number;
}

export interface Division {
  /** The primary: its run, and its last promotion, because a new primary may lack the last grants of the old one. */
  readonly identity: string;
  /** Unix ms, by the clock of Redis. */
  readonly now: number;
  /** For how long this primary has known every grant, milliseconds. */
  readonly knownForMs: number;
  /** In the order of the claims. */
  readonly shares: readonly Share[];
}

export interface Claimant {
  readonly name: string;
  readonly token: string;
  /** Increases with each call: a call that arrives after a later one changes nothing. */
  readonly call: number;
  /** The server that this process used before, and how long ago it left it: this one may lack grants of that time. */
  readonly former: { readonly identity: string; readonly leftMs: number } | undefined;
}

/** Redis deletes the hash when no process has used it for this time, or for the life of its permits, milliseconds. */
const forgottenMs = 24 * 3_600_000;
/** No permit counts for longer, milliseconds: a window is shorter than 25 days. */
const maxLifeMs = 50 * 24 * 3_600_000;
/** For at least this time after its last call, the limits of a process apply to the others, milliseconds. */
const announcedMs = 10_000;
/** Permits are kept for a process that waits for them while its last call is not older than this, milliseconds. */
const waitingMs = 500;

/**
 * `KEYS`: the hash. `ARGV`: token and call of this process; the former server and how long ago it was left; then the
 * claims. The field `server` stores the identity of the primary, and since when that primary knows every grant: a server
 * that was started, flushed or promoted finds another identity in it, or none, and knows no grant from before now.
 *
 * Any other field is the record of one process: its call and time, then a line for each claim. Malformed records, and
 * those that no longer matter, are deleted. Free permits are kept for the processes that have waited longer, and a part of all for urgent requests.
 */
const text = `
  local token, call, former, left = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
  local info = redis.pcall('INFO', 'server', 'replication')
  if type(info) ~= 'string' then return { 'version' } end
  if not string.find(info, 'role:master', 1, true) then return { 'replica' } end
  local identity = string.match(info, 'run_id:(%w+)') .. ':' .. string.match(info, 'master_replid2:(%w+)') .. ':' .. string.match(info, 'second_repl_offset:(%-?%d+)')
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local fields = redis.pcall('HGETALL', KEYS[1])
  if fields.err or #fields > 2000 then return { 'invalid' } end

  local function numbers(...)
    local result = {}
    for index, text in ipairs({ ... }) do
      if #text > 15 then return nil end
      result[index] = tonumber(text)
    end
    return result
  end
  local function read(text)
    local at, rest = string.match(text, '^%d+ (%d+)\\n(.*)$')
    at = at and numbers(at)
    if not at or at[1] > now + 1000 then return nil end
    local process, isAlive = { at = at[1], claims = {} }, false
    for line in string.gmatch(rest, '[^\\n]+') do
      local name, window, more = string.match(line, '^(%S+) (%S+) ([%d ]+)$')
      local values = more and numbers(string.match(more, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$'))
      if not values or #values ~= 8 then return nil end
      local permits, life, held, heldUrgent, wanted, wantedUrgent, since, closed = unpack(values)
      if life > ${maxLifeMs} or permits == 0 then return nil end
      if process.at + math.max(life, ${announcedMs}) > now then
        isAlive = true
        if process.at + life <= now then held, heldUrgent = 0, 0 end
        if process.at + ${waitingMs} <= now then wanted, wantedUrgent = 0, 0 end
        process.claims[name] = { window = window, permits = permits, held = held, heldUrgent = heldUrgent, wanted = wanted, wantedUrgent = wantedUrgent, since = since, closed = closed }
      end
    end
    return isAlive and process
  end

  local known, own, others, gone = now, {}, {}, {}
  for index = 1, #fields, 2 do
    local field, text = fields[index], fields[index + 1]
    if field == 'server' then
      local id, since = string.match(text, '^(%S+) (%d+)$')
      since = id == identity and numbers(since)
      if since then known = math.min(now, since[1]) end
    elseif field == token then
      local last = string.match(text, '^(%d+) ')
      last = last and numbers(last)
      if last and last[1] >= call then return { 'invalid' } end
      local process = read(text)
      own = process and process.claims or {}
    else
      local process = read(text)
      if process then others[field] = process.claims else gone[#gone + 1] = field end
    end
  end
  if former ~= '' and former ~= identity then known = math.max(known, now - left) end

  local kept = ${forgottenMs}
  local lines, reply = { string.format('%.0f %.0f', call, now) }, { 'divided', identity, now, now - known }
  for index = 5, #ARGV do
    local name, window, more = string.match(ARGV[index], '^(%S+) (%S+) (.*)$')
    local permits, life, wait, held, heldUrgent, wanted, wantedUrgent, closed = unpack(numbers(string.match(more, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')))
    kept = math.max(kept, life)
    local before = own[name]
    local since = before and before.wanted > 0 and before.since or now
    local lowest, all, normal, earlier, earlierUrgent, closedUntil = permits, held, held - heldUrgent, 0, 0, 0
    for other, claims in pairs(others) do
      local claim = claims[name]
      if claim then
        if claim.window ~= window then return { 'window', index - 5, claim.window } end
        lowest = math.min(lowest, claim.permits)
        all = all + claim.held
        normal = normal + claim.held - claim.heldUrgent
        closedUntil = math.max(closedUntil, claim.closed)
        if claim.since < since or (claim.since == since and other < token) then
          earlier, earlierUrgent = earlier + claim.wanted, earlierUrgent + claim.wantedUrgent
        end
      end
    end
    local urgent, granted = 0, 0
    if now - known >= wait then
      urgent = math.max(0, math.min(wantedUrgent, lowest - all - earlierUrgent))
      local left = math.min(lowest - all - urgent, lowest - math.floor(lowest * ${urgentShare}) - normal) - earlier
      granted = urgent + math.max(0, math.min(wanted - wantedUrgent, left))
    end
    if granted > 0 then since = now end
    lines[#lines + 1] = string.format('%s %s %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f', name, window, permits, life, held + granted, heldUrgent, wanted - granted, wantedUrgent - urgent, since, closed)
    for _, value in ipairs({ granted, lowest, math.max(0, lowest - all - granted), closedUntil }) do reply[#reply + 1] = value end
  end

  redis.call('HSET', KEYS[1], 'server', string.format('%s %.0f', identity, known), token, table.concat(lines, '\\n'))
  if #gone > 0 then redis.call('HDEL', KEYS[1], unpack(gone)) end
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', kept))
  return reply
`;
const script: Script = { text, hash: createHash('sha1').update(text).digest('hex') };

const valuesOfShare = 4;

/** Claims permits. Rejects with {@link SharingFailure}. */
export async function divide(
  connection: RedisConnection,
  { name, token, call, former }: Claimant,
  claims: readonly Claim[],
): Promise<Division> {
  const left = [former?.identity ?? '', Math.floor(former?.leftMs ?? 0)];
  const reply = await connection.run(script, `${name}:limits`, [token, call, ...left, ...claims.map(lineOf)]);
  const [result, ...values] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
  switch (result) {
    case 'divided':
      return divisionOf(values, claims.length);
    case 'window':
      throw otherWindow(claims[Number(values[0])], values[1]);
    case 'version':
      throw new SharingFailure('the server is older than Redis 7, which is required');
    case 'replica':
      throw new SharingFailure('the server is a replica: connect to its primary');
    case 'invalid':
      throw new SharingFailure(
        `the Redis key "${name}:limits" holds data that this package did not write: delete the key`,
      );
    default:
      throw invalidReply();
  }
}

/** The name of a rate limit may contain any character. */
function lineOf({ rateLimit, windowMs, ...claim }: Claim): string {
  const { permits, lifeMs, waitMs, held, heldUrgent, wanted, wantedUrgent, closedUntil } = claim;
  const numbers = [permits, lifeMs, waitMs, held, heldUrgent, wanted, wantedUrgent, closedUntil];
  return [encodeURIComponent(JSON.stringify(rateLimit)), windowMs, ...numbers.map((value) => Math.ceil(value))].join(
    ' ',
  );
}

/** A server may be replaced by one that sends anything. */
function divisionOf([identity, ...values]: readonly unknown[], count: number): Division {
  const [now, knownForMs, ...shares] = values.map((value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw invalidReply();
  });
  const isComplete = shares.length === count * valuesOfShare;
  if (typeof identity !== 'string' || now === undefined || knownForMs === undefined || !isComplete)
    throw invalidReply();
  const shareAt = (index: number): Share => {
    const [granted = 0, permits = 0, free = 0, closedUntil = 0] = shares.slice(index, index + valuesOfShare);
    return { granted, permits, free, closedUntil };
  };
  return {
    identity,
    now,
    knownForMs,
    shares: Array.from({ length: count }, (_, index) => shareAt(index * valuesOfShare)),
  };
}

function invalidReply(): SharingFailure {
  return new SharingFailure('the server returned no valid reply');
}

function otherWindow(claim: Claim | undefined, other: unknown): SharingFailure {
  if (claim === undefined) return invalidReply();
  const [own, others] = [claim.windowMs, Number(other)].map((ms) => `${quote(ms)} ms`);
  const advice = 'stop them first, or pass another name to shareOverRedis()';
  return new SharingFailure(
    `rate limit "${claim.rateLimit}" has a window of ${own} here and ${others} in the processes that share it: ${advice}`,
    true,
  );
}
