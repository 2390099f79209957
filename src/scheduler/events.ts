/**
 * The exchange answered 429 although there was a permit: someone else sends from the same address, or the limit is
 * lower than was given.
 */
export interface LimitEvent {
  /** Tells the events apart. */
  readonly type: 'limit';
  /** Name of the rate-limit group. It is closed for now, and then opens slowly. */
  readonly rateLimit: string;
  /** For how long it is closed, milliseconds. */
  readonly coolDownMs: number;
}

/**
 * How a scheduler that shares its limits over Redis is doing:
 * - `joined`: it takes its permits from Redis. Reported again when another limit applies because a process names a
 *   smaller one, or no longer does.
 * - `waiting`: Redis is there, and the permits that were given out before it was are not back yet.
 * - `lost`: Redis is not there, or holds what cannot be relied on, and no permits are given out.
 * - `alone`: the same, and it goes on with its share of the limits (`whenRedisIsDown`).
 */
export interface SharingEvent {
  /** Tells the events apart. */
  readonly type: 'sharing';
  /** How it is doing now: see above. */
  readonly state: 'joined' | 'waiting' | 'lost' | 'alone';
  /** Why, or what for. In words of this package: nothing that the server or the network said is quoted. */
  readonly reason: string;
}

/** What a scheduler tells of itself. */
export type SchedulerEvent = LimitEvent | SharingEvent;
