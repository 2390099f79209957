// What a fact of the live exchange is to the probe: a name, and a function that finds it out within a bound.
import type { Frame, ProbeConnection } from './connection.js';

/** Where the probe looks, and how long it waits. */
export interface Probe {
  /** A market whose best prices change every second. */
  readonly busy: string;
  /** Another one. */
  readonly second: string;
  /** A market that hardly changes. */
  readonly quiet: string;
  /** The bound on a response, milliseconds. */
  readonly responseMs: number;
  /** A push this long after the confirmation came with it, milliseconds. */
  readonly atOnceMs: number;
  /** How long a push that need not come is waited for, milliseconds. */
  readonly pushMs: number;
  /** A depth subscription that is silent for this long is dead, milliseconds. */
  readonly depthMs: number;
  /** The bound on the keepalive snapshot, milliseconds. */
  readonly keepaliveMs: number;
}

export interface Finding {
  /** The fact in a word or two; `unknown` where the exchange has shown neither. */
  readonly seen: string;
  /** What it was concluded from. */
  readonly because: string;
}

export interface Fact {
  readonly name: string;
  /** The option of the sandbox that chooses it, where there is one. */
  readonly option?: string;
  readonly find: (connection: ProbeConnection, probe: Probe) => Promise<Finding>;
}

export function unknown(because: string): Finding {
  return { seen: 'unknown', because };
}

/** A request that must succeed, because what follows concludes from it. */
export async function confirmed(
  connection: ProbeConnection,
  method: string,
  ...params: readonly unknown[]
): Promise<Frame> {
  const response = await connection.request(method, ...params);
  const refusal = refusalOf(response);
  if (refusal !== undefined) throw new Error(`${method} ${JSON.stringify(params)} got ${refusal}`);
  return response;
}

/** The code and message of a refusal; `undefined` for a result. */
export function refusalOf({ error }: Frame): string | undefined {
  return error === null || error === undefined ? undefined : `code ${error.code} (${error.message})`;
}

/** Whether a frame is a push of `market` and similar channels, which begin with the market's name. */
export function pushOf(channel: string, market?: string): (frame: Frame) => boolean {
  return ({ method, params: [name] }) => method === `${channel}_update` && (market === undefined || name === market);
}

/** An object's field, of whatever a frame holds. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
