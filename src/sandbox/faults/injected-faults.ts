// Which fault each request meets: the injected ones in order, then those at random.
import { isPathOf } from '../path-template.js';
import { createRandom } from '../random.js';
import { commonFaultKinds, type Fault, type FaultKind, type PendingFault, type RandomFaults } from './fault.js';

/** A fault as one request meets it, with every default filled in. */
export type AppliedFault = Required<Pick<Fault, 'kind' | 'executed' | 'status' | 'delayMs' | 'hang'>> &
  Pick<Fault, 'retryAfterSeconds'> & {
    /** Makes the fault wait for another request, because it could not change this one's response. */
    readonly restore: () => void;
  };

interface Injected {
  readonly fault: Fault;
  remaining: number;
}

const executedByDefault: readonly FaultKind[] = ['slow', 'truncated', 'corrupt', 'empty', 'html'];

const defaultDelayMs: Readonly<Partial<Record<FaultKind, number>>> = { replay: 0, 'late-execution': 7000 };

export class InjectedFaults {
  /** Faults without remaining requests stay in the list, because a request may restore them. */
  readonly #injected: Injected[] = [];
  #atRandom: ((path: string) => Fault | undefined) | undefined;

  add(fault: Fault): void {
    this.#injected.push({ fault, remaining: fault.times ?? 1 });
  }

  /** Faults with remaining requests, in the order of injection. */
  get pending(): PendingFault[] {
    return this.#injected
      .filter(({ remaining }) => remaining > 0)
      .map(({ fault, remaining }) => ({ ...fault, remaining }));
  }

  /** Replaces the random faults; `undefined` ends them. */
  setRandom(faults: RandomFaults | undefined): void {
    this.#atRandom = faults === undefined ? undefined : randomly(faults);
  }

  /**
   * The fault that a request to this path of a route meets, if any; it counts as one of the fault's times. A request
   * that may not meet injected faults meets random ones only.
   */
  take(path: string, mayMeetInjected: () => boolean): AppliedFault | undefined {
    const next = this.#injected.find(
      ({ fault, remaining }) => remaining > 0 && (fault.path === undefined || isPathOf(fault.path, path)),
    );
    const injected = next !== undefined && mayMeetInjected() ? next : undefined;
    if (injected !== undefined) injected.remaining -= 1;
    const fault = injected?.fault ?? this.#atRandom?.(path);
    if (fault === undefined) return undefined;
    const { kind, executed = executedByDefault.includes(kind), status = 503, hang = false, retryAfterSeconds } = fault;
    return {
      kind,
      executed,
      status,
      delayMs: fault.delayMs ?? defaultDelayMs[kind] ?? 1000,
      hang,
      restore: () => {
        if (injected !== undefined) injected.remaining += 1;
      },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
  }
}

function randomly(faults: RandomFaults): (path: string) => Fault | undefined {
  const { seed, rate, kinds = commonFaultKinds, paths, maxDelayMs = 1000, maxExecutionDelayMs = 9000 } = faults;
  const random = createRandom(seed);
  return (path) => {
    if (paths?.some((one) => isPathOf(one, path)) === false || random() >= rate) return undefined;
    const kind = kinds[Math.floor(random() * kinds.length)] ?? 'status';
    const executed = random() < 0.5;
    const share = random();
    if (kind === 'late-execution') return { kind, delayMs: Math.ceil(share * maxExecutionDelayMs), hang: executed };
    if (kind === 'replay' && executed) return { kind };
    return { kind, executed, delayMs: Math.ceil(share * maxDelayMs) };
  };
}
