// Which fault each request meets: the injected ones in order, then those at random.
import { isPathOf } from '../check.js';
import { createRandom } from '../random.js';
import { faultKinds, kindOfFault, type Fault, type RandomFaults } from './fault.js';

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
      (fault) => (fault.path === undefined || isPathOf(fault.path, path)) && (mayMeet ??= mayMeetInjected()),
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
    if (paths?.some((one) => isPathOf(one, path)) === false || random() >= rate) return undefined;
    const kind = kinds[Math.floor(random() * kinds.length)] ?? 'status';
    const executed = random() < 0.5;
    const share = random();
    if (kind === 'late-execution') return { kind, delayMs: Math.ceil(share * maxExecutionDelayMs) };
    if (kind === 'replay' && executed) return { kind };
    return { kind, executed, delayMs: Math.ceil(share * maxDelayMs) };
  };
}
