// Injected faults: what the sandbox, or the network before it, does to requests instead of responding to them.
import { createRandom } from '../random.js';

/**
 * What happens to a request:
 * - `status`: it is answered with a status, 503 by default, in HTML, as a gateway does.
 * - `refuse`: no connection can be made. On a port, where one is made already, it is `reset`.
 * - `reset`: the connection is lost before an answer.
 * - `hang`: there is no answer.
 * - `late`: the connection is lost, and the request arrives later.
 * - `slow`: the answer takes longer.
 * - `cut`: the answer ends in the middle.
 * - `corrupt`, `empty`, `html`: the answer is 200, with a body that is not JSON, no body, or a page.
 *
 * And where the exchange, or a proxy before it, does what clients take for impossible:
 * - `replay`: it is executed, a proxy loses the response and sends the same bytes again. The client gets the response
 *   to the copy: its nonce was used before.
 * - `delayed`: the gateway accepts it, and its nonce is used. The connection is lost, and the engine executes it later,
 *   whatever its nonce's age.
 * - `odd`: fields of the response that nobody decides by are null, absent, a number for a string or the reverse, or of
 *   a new kind: one at least. Identifiers, market, side and status are true; what is a record's only value (a balance,
 *   the time) is a number for a string, or the reverse.
 * - `unreadable`: each list and each map in the response that has records holds one more, which is none.
 *
 * A response that has nothing to change, such as a refusal or an empty list, does not count for `odd` and `unreadable`:
 * they wait for the next.
 */
export type FaultKind =
  | 'status'
  | 'refuse'
  | 'reset'
  | 'hang'
  | 'late'
  | 'slow'
  | 'cut'
  | 'corrupt'
  | 'empty'
  | 'html'
  | 'replay'
  | 'delayed'
  | 'odd'
  | 'unreadable';

/** The kinds that a network or a gateway is known to do. */
const everydayKinds: readonly FaultKind[] = [
  'status',
  'refuse',
  'reset',
  'hang',
  'late',
  'slow',
  'cut',
  'corrupt',
  'empty',
  'html',
];

/** Every {@link FaultKind}. */
export const faultKinds: readonly FaultKind[] = [...everydayKinds, 'replay', 'delayed', 'odd', 'unreadable'];

/** A fault that the next requests meet. A field that its kind does not use is refused. */
export interface Fault {
  /** What happens to them. */
  readonly kind: FaultKind;
  /** Only requests to this path; all when left out. */
  readonly path?: string;
  /** How many requests, 1 or more. Default 1. */
  readonly times?: number;
  /**
   * `status`, `reset`, `hang`, `slow`, `cut`, `corrupt`, `empty`, `html`: whether the request is executed all the same.
   * Default true for `slow`, `cut`, `corrupt`, `empty` and `html`. Requests that meet `late`, `replay`, `delayed`,
   * `odd` or `unreadable` always are, those that meet `refuse` never.
   */
  readonly executed?: boolean;
  /** The status that `status` answers with, 200 to 599. Default 503. */
  readonly status?: number;
  /** `Retry-After` of the answer of `status`, seconds. */
  readonly retryAfterSeconds?: number;
  /**
   * By the sandbox's clock, milliseconds: how long `late` and `slow` take (default 1000), when the copy of `replay` is
   * sent (default 0: at once), and how long after its acceptance a `delayed` request is executed (default 7000).
   */
  readonly delayMs?: number;
  /** `late` and `delayed`: there is no response, rather than a lost connection. Default false. */
  readonly hang?: boolean;
}

/** The fields that each kind uses, beside `kind`, `path` and `times`. */
export const fieldsOfKind: Readonly<Record<FaultKind, readonly (keyof Fault)[]>> = {
  status: ['executed', 'status', 'retryAfterSeconds'],
  refuse: [],
  reset: ['executed'],
  hang: ['executed'],
  late: ['delayMs', 'hang'],
  slow: ['executed', 'delayMs'],
  cut: ['executed'],
  corrupt: ['executed'],
  empty: ['executed'],
  html: ['executed'],
  replay: ['delayMs'],
  delayed: ['delayMs', 'hang'],
  odd: [],
  unreadable: [],
};

/** A fault that has not met all of its requests yet. */
export interface PendingFault extends Fault {
  /** How many requests it is still for. */
  readonly left: number;
}

/** Faults at random, the same for the same seed. */
export interface RandomFaults {
  /** An integer of 0 or more; which requests meet which fault follows from it. */
  readonly seed: number;
  /** The share of requests that meet one, from 0 to 1. */
  readonly rate: number;
  /** The kinds to draw from. Default: all but `replay`, `delayed`, `odd` and `unreadable`, which have to be named. */
  readonly kinds?: readonly FaultKind[];
  /** Only requests to these paths; all when left out. */
  readonly paths?: readonly string[];
  /**
   * The longest that `late`, `slow` and the copy of `replay` take, milliseconds. Every second copy is sent at once.
   * Default 1000.
   */
  readonly longestDelayMs?: number;
  /** The longest after its acceptance that a `delayed` request is executed, milliseconds. Default 9000. */
  readonly maxExecutionDelayMs?: number;
}

const executedByDefault: readonly FaultKind[] = ['slow', 'cut', 'corrupt', 'empty', 'html'];

const defaultDelayMs: Readonly<Partial<Record<FaultKind, number>>> = { replay: 0, delayed: 7000 };

/** A fault as it happens to one request. */
export type Happening = Required<Pick<Fault, 'kind' | 'executed' | 'status' | 'delayMs' | 'hang'>> &
  Pick<Fault, 'retryAfterSeconds'> & {
    /** The request did not meet it after all: another one will. */
    readonly giveBack: () => void;
  };

interface Pending {
  readonly fault: Fault;
  left: number;
}

/** The injected faults. */
export class Faults {
  /** Those that have met their requests stay: a request may give one back. */
  readonly #pending: Pending[] = [];
  #atRandom: ((path: string) => Fault | undefined) | undefined;

  add(fault: Fault): void {
    this.#pending.push({ fault, left: fault.times ?? 1 });
  }

  /** Those that have not met all of their requests, in the order in which they were injected. */
  get pending(): PendingFault[] {
    return this.#pending.filter(({ left }) => left > 0).map(({ fault, left }) => ({ ...fault, left }));
  }

  /** Replaces what happens at random; `undefined` ends it. */
  atRandom(faults: RandomFaults | undefined): void {
    this.#atRandom = faults === undefined ? undefined : drawing(faults);
  }

  /**
   * What happens to a request to this path, if anything; it counts as one of its times. Who may not meet what is
   * pending meets only what is random.
   */
  take(path: string, mayMeetPending: () => boolean): Happening | undefined {
    const next = this.#pending.find(({ fault, left }) => left > 0 && (fault.path === undefined || fault.path === path));
    const pending = next !== undefined && mayMeetPending() ? next : undefined;
    if (pending !== undefined) pending.left -= 1;
    const fault = pending?.fault ?? this.#atRandom?.(path);
    if (fault === undefined) return undefined;
    const { kind, executed = executedByDefault.includes(kind), status = 503, hang = false, retryAfterSeconds } = fault;
    const delayMs = fault.delayMs ?? defaultDelayMs[kind] ?? 1000;
    const giveBack = () => {
      if (pending !== undefined) pending.left += 1;
    };
    return {
      kind,
      executed,
      status,
      delayMs,
      hang,
      giveBack,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
  }
}

function drawing(faults: RandomFaults): (path: string) => Fault | undefined {
  const { seed, rate, kinds = everydayKinds, paths, longestDelayMs = 1000, maxExecutionDelayMs = 9000 } = faults;
  const random = createRandom(seed);
  return (path) => {
    if (paths?.includes(path) === false || random() >= rate) return undefined;
    const kind = kinds[Math.floor(random() * kinds.length)] ?? 'status';
    const executed = random() < 0.5;
    const share = random();
    if (kind === 'delayed') return { kind, delayMs: Math.ceil(share * maxExecutionDelayMs), hang: executed };
    if (kind === 'replay' && executed) return { kind };
    return { kind, executed, delayMs: Math.ceil(share * longestDelayMs) };
  };
}

/** No answer comes, and the connection is gone. */
export class ConnectionFault extends Error {
  constructor(readonly code: 'ECONNREFUSED' | 'ECONNRESET') {
    super(code);
  }
}

/** The kinds of fault that replace a response, or lose it. */
export type SpoilingKind = Exclude<FaultKind, 'slow' | 'replay' | 'odd' | 'unreadable'>;

/** The response that a client gets instead of this one. */
export function spoiled(
  answer: Response | undefined,
  kind: SpoilingKind,
  { status, retryAfterSeconds, hang }: Happening,
): Promise<Response> | Response {
  switch (kind) {
    case 'status':
      return page(status, retryAfterSeconds);
    case 'refuse':
    case 'reset':
      throw new ConnectionFault(kind === 'refuse' ? 'ECONNREFUSED' : 'ECONNRESET');
    case 'late':
    case 'delayed':
      if (hang) return new Promise(() => undefined);
      throw new ConnectionFault('ECONNRESET');
    case 'hang':
      return new Promise(() => undefined);
    case 'cut':
      return cutShort(answer);
    case 'corrupt':
      return new Response('{"order_id": 12, "mar', { status: 200, headers: { 'content-type': 'application/json' } });
    case 'empty':
      return new Response('', { status: 200 });
    case 'html':
      return page(200);
  }
}

/** A page, as a gateway responds with one. */
export function page(status: number, retryAfterSeconds?: number): Response {
  const headers = new Headers({ 'content-type': 'text/html' });
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds));
  return new Response(
    `<html><body><h1>${status} ${status === 503 ? 'Service Temporarily Unavailable' : 'Maintenance'}</h1></body></html>`,
    { status, headers },
  );
}

/** The first half of an answer, after which the connection is gone. */
export class CutShort extends Response {
  constructor(
    readonly half: Uint8Array,
    /** How long the whole would have been, bytes. */
    readonly wholeLength: number,
    status: number,
  ) {
    let isSent = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isSent) controller.error(new ConnectionFault('ECONNRESET'));
        else controller.enqueue(half);
        isSent = true;
      },
    });
    super(body, { status, headers: { 'content-type': 'application/json' } });
  }
}

async function cutShort(answer: Response | undefined): Promise<Response> {
  const whole = new TextEncoder().encode((await answer?.text()) ?? '{"order_id": ');
  return new CutShort(whole.slice(0, whole.length / 2), whole.length, answer?.status ?? 200);
}
