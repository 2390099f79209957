// Which fault each handshake, connection, request and message of the real-time interface meets: the injected ones in
// order, then those at random.
import type { Clock } from '../../clock.js';
import { createRandom } from '../../random.js';
import {
  commonLiveFaultKinds,
  connectionKinds,
  type LiveFault,
  type LiveFaultKind,
  type PendingLiveFault,
  type RandomLiveFaults,
} from './live-fault.js';

/** What a fault can be restricted to. */
export type Restriction = Pick<LiveFault, 'channel' | 'market'>;

/** Something that can meet a fault. */
export interface FaultTarget {
  /** Whether a fault of this kind can happen to it. */
  readonly allows: (kind: LiveFaultKind) => boolean;
  readonly concerns: (restriction: Restriction) => boolean;
}

interface Injected {
  readonly fault: LiveFault;
  isReady: boolean;
  remaining: number;
}

export class LiveFaults {
  /** Called when a fault can occur: open connections meet it at once. */
  onReady: () => void = () => undefined;
  readonly #injected: Injected[] = [];
  #atRandom: ((target: FaultTarget) => LiveFault | undefined) | undefined;

  constructor(private readonly clock: Clock) {}

  add(fault: LiveFault): void {
    const { times = 1, afterMs = 0 } = fault;
    const injected = { fault, isReady: afterMs === 0, remaining: times };
    this.#injected.push(injected);
    if (injected.isReady) this.onReady();
    else
      this.clock.after(afterMs, () => {
        injected.isReady = true;
        this.onReady();
      });
  }

  /** Replaces the random faults; `undefined` ends them. */
  setRandom(faults: RandomLiveFaults | undefined): void {
    this.#atRandom = faults === undefined ? undefined : randomly(faults);
  }

  /** Faults that have not been met as often as they should, in the order of injection. */
  get pending(): PendingLiveFault[] {
    return this.#injected.flatMap(({ fault, remaining }) => (remaining > 0 ? [{ ...fault, remaining }] : []));
  }

  /** The fault that a handshake, request or message meets, if any; a random one can be of its connection. */
  take(target: FaultTarget): LiveFault | undefined {
    return this.takeInjected(target) ?? this.#atRandom?.(target);
  }

  /** The injected fault that a target meets, if any. */
  takeInjected({ allows, concerns }: FaultTarget): LiveFault | undefined {
    const next = this.#injected.find(
      ({ fault, isReady, remaining }) => isReady && remaining > 0 && concerns(fault) && allows(fault.kind),
    );
    if (next === undefined) return undefined;
    next.remaining -= 1;
    return next.fault;
  }
}

export function isConnectionKind(kind: LiveFaultKind): boolean {
  return connectionKinds.some((one) => one === kind);
}

function randomly({ share, kinds = commonLiveFaultKinds, seed = 1 }: RandomLiveFaults) {
  const random = createRandom(seed);
  return ({ allows, concerns }: FaultTarget): LiveFault | undefined => {
    if (random() >= share) return undefined;
    // A handshake has no connection yet.
    const canEnd = !allows('refuse');
    const possible = kinds.filter((kind) => allows(kind) || (canEnd && isConnectionKind(kind)));
    const kind = possible[Math.floor(random() * possible.length)];
    return kind === undefined || !concerns({}) ? undefined : { kind };
  };
}
