// Faults to order: what a test asks the sandbox, or the network before it, to do to requests instead of answering them.
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
 */
export type FaultKind = 'status' | 'refuse' | 'reset' | 'hang' | 'late' | 'slow' | 'cut' | 'corrupt' | 'empty' | 'html';

/** Every {@link FaultKind}. */
export const faultKinds: readonly FaultKind[] = ['status', 'refuse', 'reset', 'hang', 'late', 'slow', 'cut', 'corrupt', 'empty', 'html'];

/** A fault that the next requests meet. */
export interface Fault {
  /** What happens to them. */
  readonly kind: FaultKind;
  /** Only requests to this path; all when left out. */
  readonly path?: string;
  /** How many requests. Default 1. */
  readonly times?: number;
  /** Whether the request is executed all the same. Default true for `slow`, `cut`, `corrupt`, `empty` and `html`. `late` always is, `refuse` never. */
  readonly executed?: boolean;
  /** The status that `status` answers with. Default 503. */
  readonly status?: number;
  /** `Retry-After` of the answer of `status`, seconds. */
  readonly retryAfterSeconds?: number;
  /** How long `late` and `slow` take, milliseconds. Default 1000. */
  readonly delayMs?: number;
}

/** Faults at random, the same for the same seed. */
export interface RandomFaults {
  /** An integer; which requests meet which fault follows from it. */
  readonly seed: number;
  /** The share of requests that meet one, from 0 to 1. */
  readonly rate: number;
  /** The kinds to draw from. Default: all. */
  readonly kinds?: readonly FaultKind[];
  /** Only requests to these paths; all when left out. */
  readonly paths?: readonly string[];
  /** The longest that `late` and `slow` take, milliseconds. Default 1000. */
  readonly longestDelayMs?: number;
}

const executedByDefault: readonly FaultKind[] = ['slow', 'cut', 'corrupt', 'empty', 'html'];

/** A fault as it happens to one request. */
export type Happening = Required<Pick<Fault, 'kind' | 'executed' | 'status' | 'delayMs'>> & Pick<Fault, 'retryAfterSeconds'>;

/** The faults that are ordered. */
export class Faults {
  readonly #ordered: { readonly fault: Fault; left: number }[] = [];
  #atRandom: ((path: string) => Fault | undefined) | undefined;

  add(fault: Fault): void {
    if (!faultKinds.includes(fault.kind)) throw new Error(`the sandbox has no fault "${fault.kind}": ${faultKinds.join(', ')}`);
    this.#ordered.push({ fault, left: fault.times ?? 1 });
  }

  /** Replaces what happens at random; `undefined` ends it. */
  atRandom(faults: RandomFaults | undefined): void {
    this.#atRandom = faults === undefined ? undefined : drawing(faults);
  }

  /** What happens to a request to this path, if anything; it counts as one of its times. */
  take(path: string): Happening | undefined {
    const fault = this.#takeOrdered(path) ?? this.#atRandom?.(path);
    if (fault === undefined) return undefined;
    const { kind, executed = executedByDefault.includes(kind), status = 503, delayMs = 1000, retryAfterSeconds } = fault;
    return { kind, executed, status, delayMs, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  }

  #takeOrdered(path: string): Fault | undefined {
    const index = this.#ordered.findIndex(({ fault, left }) => left > 0 && (fault.path === undefined || fault.path === path));
    const ordered = this.#ordered[index];
    if (ordered === undefined) return undefined;
    ordered.left -= 1;
    if (ordered.left === 0) this.#ordered.splice(index, 1);
    return ordered.fault;
  }
}

function drawing({ seed, rate, kinds = faultKinds, paths, longestDelayMs = 1000 }: RandomFaults): (path: string) => Fault | undefined {
  const random = createRandom(seed);
  return (path) => {
    if (paths?.includes(path) === false || random() >= rate) return undefined;
    const kind = kinds[Math.floor(random() * kinds.length)] ?? 'status';
    return { kind, executed: random() < 0.5, delayMs: Math.ceil(random() * longestDelayMs) };
  };
}

/** No answer comes, and the connection is gone. */
export class ConnectionFault extends Error {
  constructor(readonly code: 'ECONNREFUSED' | 'ECONNRESET') {
    super(code);
  }
}

/** The answer that a client gets instead of this one. */
export function spoiled(answer: Response | undefined, { kind, status, retryAfterSeconds }: Happening): Promise<Response> | Response {
  switch (kind) {
    case 'status':
      return page(status, retryAfterSeconds);
    case 'refuse':
    case 'reset':
    case 'late':
      throw new ConnectionFault(kind === 'refuse' ? 'ECONNREFUSED' : 'ECONNRESET');
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
    case 'slow':
      return answer ?? page(503);
  }
}

function page(status: number, retryAfterSeconds?: number): Response {
  const headers = new Headers({ 'content-type': 'text/html' });
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds));
  return new Response(`<html><body><h1>${status} ${status === 503 ? 'Service Temporarily Unavailable' : 'Maintenance'}</h1></body></html>`, { status, headers });
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
