// The faults that a test can inject: their kinds, their fields, the rules of both, and which of them each request meets: the
// injected ones in order, then those at random.
import * as v from 'valibot';
import * as c from '../check.js';
import { createRandom } from '../random.js';

interface KindOfFault {
  /** The fields that it uses besides `kind`, `path` and `times`. */
  readonly uses: readonly Exclude<keyof Fault, 'kind' | 'path' | 'times'>[];
  /** Whether the exchange executes the request by default. */
  readonly executed?: true;
  /** Default: 1000. */
  readonly delayMs?: number;
  /** Whether networks and gateways are known to cause it. */
  readonly isCommon?: false;
}

/** Every kind. What each does to a request is in `http/respond.ts`. */
const kindsOfFaults = {
  status: { uses: ['executed', 'status', 'retryAfterSeconds'] },
  refuse: { uses: [] },
  reset: { uses: ['executed'] },
  hang: { uses: ['executed'] },
  'late-arrival': { uses: ['delayMs'] },
  slow: { uses: ['executed', 'delayMs'], executed: true },
  truncated: { uses: ['executed'], executed: true },
  corrupt: { uses: ['executed'], executed: true },
  empty: { uses: ['executed'], executed: true },
  html: { uses: ['executed'], executed: true },
  replay: { uses: ['delayMs'], delayMs: 0, isCommon: false },
  'late-execution': { uses: ['delayMs'], delayMs: 7000, isCommon: false },
} as const satisfies Readonly<Record<string, KindOfFault>>;

/**
 * What happens to a request. The network or a gateway fails:
 * - `status`: the gateway responds with an HTTP status, 503 by default, and an HTML page.
 * - `refuse`: the connection is refused. On a port, where a connection is already open, the connection is reset.
 * - `reset`: the connection is reset before a response.
 * - `hang`: no response arrives.
 * - `late-arrival`: the connection is reset, and the request reaches the exchange later.
 * - `slow`: the response takes longer.
 * - `truncated`: the connection is reset in the middle of the response.
 * - `corrupt`: the response is 200 with a body that is not JSON.
 * - `empty`: the response is 200 without a body.
 * - `html`: the response is 200 with an HTML page.
 *
 * The exchange, or a proxy in front of it, does what clients assume to be impossible:
 * - `replay`: the request is executed, and a proxy loses the response and sends the same bytes again. The client gets
 *   the response to the copy, whose nonce was already used.
 * - `late-execution`: the gateway accepts the request and uses up its nonce. The connection is reset, and the engine
 *   executes the request later, however old its nonce is by then.
 */
export type FaultKind = keyof typeof kindsOfFaults;

const isKind = (name: string): name is FaultKind => Object.hasOwn(kindsOfFaults, name);

/** Every {@link FaultKind}. */
export const faultKinds: readonly FaultKind[] = Object.keys(kindsOfFaults).filter(isKind);

export function kindOfFault(kind: FaultKind): KindOfFault {
  return kindsOfFaults[kind];
}

/** A fault to inject into the next requests. `sandbox.fault()` throws for a field that the kind does not use. */
export interface Fault {
  /** What happens to the requests. */
  readonly kind: FaultKind;
  /**
   * Only requests to this path. `/api/v4/public/trades/{market}` includes the path of every market. Default: requests to
   * every path.
   */
  readonly path?: string;
  /** How many requests meet the fault, 1 or more. Default 1. */
  readonly times?: number;
  /**
   * Whether the exchange executes the request although the client gets no proper response. Used by `status`, `reset`,
   * `hang`, `slow`, `truncated`, `corrupt`, `empty` and `html`. Default true for `slow`, `truncated`, `corrupt`,
   * `empty` and `html`, otherwise false. A `refuse` is never executed; every other kind always is.
   */
  readonly executed?: boolean;
  /** `status`: the HTTP status of the response, 200 to 599. Default 503. */
  readonly status?: number;
  /** `status`: the `Retry-After` header of the response, seconds. */
  readonly retryAfterSeconds?: number;
  /**
   * Delay by the sandbox's clock, milliseconds: of the request (`late-arrival`) or the response (`slow`), default 1000;
   * between `replay` and its copy, default 0; between acceptance and execution (`late-execution`), default 7000.
   */
  readonly delayMs?: number;
}

/** An injected fault that has not met all of its requests yet. */
export interface PendingFault extends Fault {
  /** How many more requests will meet the fault. */
  readonly remaining: number;
}

/** Faults at random. The same seed gives the same faults. */
export interface RandomFaults {
  /** Seed of the random choices, an integer of 0 or more. */
  readonly seed: number;
  /** The share of requests that meet a fault, from 0 to 1. */
  readonly rate: number;
  /** The kinds to choose from. Default: all except `replay` and `late-execution`. */
  readonly kinds?: readonly FaultKind[];
  /** Only requests to these paths. Default: requests to every path. */
  readonly paths?: readonly string[];
  /**
   * Maximum delay of `late-arrival`, `slow` and the copy of `replay`, milliseconds. Every second copy is sent at once.
   * Default 1000.
   */
  readonly maxDelayMs?: number;
}

/** HTTP statuses whose responses have no body. */
const withoutBody: readonly unknown[] = [204, 205, 304];
const status = c.rule<number>(
  (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599 && !withoutBody.includes(value),
  'must be an integer from 200 to 599, and not 204, 205 or 304, which have no body',
);

const faultFields = {
  kind: c.oneOf(...faultKinds),
  path: v.optional(c.path),
  times: v.optional(c.integerFrom(1)),
  executed: v.optional(c.flag),
  status: v.optional(status),
  retryAfterSeconds: v.optional(c.numberFrom(0)),
  delayMs: v.optional(c.durationMs),
} satisfies c.ChecksOf<Fault>;

export const faultRules = c.usedByKind(c.fields(faultFields), kindsOfFaults);

export const randomFaultRules = c.fields({
  seed: c.integerFrom(0),
  rate: c.numberFrom(0, 1),
  kinds: v.optional(c.nonEmptyList(faultFields.kind)),
  paths: v.optional(c.nonEmptyList(c.path)),
  maxDelayMs: v.optional(c.durationMs),
} satisfies c.ChecksOf<RandomFaults>);

/** A fault as one request meets it, with every default filled in. */
export type AppliedFault = Required<Pick<Fault, 'kind' | 'executed' | 'status' | 'delayMs'>> &
  Pick<Fault, 'retryAfterSeconds'>;

/** Injected faults that wait to be met, in the order of injection: over REST and on the real-time interface. */
export class PendingFaults<Fault extends { readonly times?: number }> {
  #injected: { readonly fault: Fault; remaining: number }[] = [];

  add(fault: Fault): void {
    this.#injected.push({ fault, remaining: fault.times ?? 1 });
  }

  get pending(): (Fault & { readonly remaining: number })[] {
    return this.#injected.map(({ fault, remaining }) => ({ ...fault, remaining }));
  }

  protected takeFirst(matches: (fault: Fault) => boolean): Fault | undefined {
    const next = this.#injected.find(({ fault }) => matches(fault));
    if (next === undefined) return undefined;
    next.remaining -= 1;
    if (next.remaining === 0) this.#injected = this.#injected.filter((one) => one !== next);
    return next.fault;
  }
}

export class InjectedFaults extends PendingFaults<Fault> {
  #atRandom: ((path: string) => Fault | undefined) | undefined;

  setRandom(faults: RandomFaults | undefined): void {
    this.#atRandom = faults && randomly(faults);
  }

  /** A request that may not meet injected faults meets random ones only. */
  take(path: string, mayMeetInjected: () => boolean): AppliedFault | undefined {
    let mayMeet: boolean | undefined;
    const injected = this.takeFirst(
      (fault) => (fault.path === undefined || c.isPathOf(fault.path, path)) && (mayMeet ??= mayMeetInjected()),
    );
    const fault = injected ?? this.#atRandom?.(path);
    if (fault === undefined) return undefined;
    const { executed = false, delayMs = 1000 } = kindOfFault(fault.kind);
    return { executed, delayMs, status: 503, ...fault };
  }
}

/** Of `late-execution`. */
const maxExecutionDelayMs = 9000;

const commonKinds = faultKinds.filter((kind) => kindOfFault(kind).isCommon !== false);

function randomly(faults: RandomFaults): (path: string) => Fault | undefined {
  const { seed, rate, kinds = commonKinds, paths, maxDelayMs = 1000 } = faults;
  const random = createRandom(seed);
  return (path) => {
    if (paths?.some((one) => c.isPathOf(one, path)) === false || random() >= rate) return undefined;
    const kind = kinds[Math.floor(random() * kinds.length)] ?? 'status';
    const executed = random() < 0.5;
    const share = random();
    if (kind === 'late-execution') return { kind, delayMs: Math.ceil(share * maxExecutionDelayMs) };
    if (kind === 'replay' && executed) return { kind };
    return { kind, executed, delayMs: Math.ceil(share * maxDelayMs) };
  };
}
