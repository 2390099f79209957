// Which fault each handshake, connection, request and message of the real-time interface meets: the injected ones in
// order, then those at random.
import { PendingFaults } from '../faults/index.js';
import { createRandom } from '../random.js';
import type { LiveRequest } from './envelope.js';
import {
  liveFaultKinds,
  struckBy,
  type LiveFault,
  type LiveFaultKind,
  type PendingLiveFault,
  type RandomLiveFaults,
} from './live-fault.js';

export type Restriction = Pick<LiveFault, 'channel' | 'market'>;

export interface FaultTarget {
  readonly allows: (kind: LiveFaultKind) => boolean;
  readonly concerns: (restriction: Restriction) => boolean;
}

export class LiveFaults {
  /** Called when a fault was added: open connections meet it at once. */
  onAdded: () => void = () => undefined;
  readonly #injected = new PendingFaults<LiveFault>();
  #atRandom: ((target: FaultTarget) => LiveFault | undefined) | undefined;

  add(fault: LiveFault): void {
    this.#injected.add(fault);
    this.onAdded();
  }

  setRandom(faults: RandomLiveFaults | undefined): void {
    this.#atRandom = faults === undefined ? undefined : randomly(faults);
  }

  get pending(): PendingLiveFault[] {
    return this.#injected.pending;
  }

  /** The fault that a handshake, request or message meets, if any; a random one can be of its connection. */
  take(target: FaultTarget): LiveFault | undefined {
    return this.takeInjected(target) ?? this.#atRandom?.(target);
  }

  takeInjected({ allows, concerns }: FaultTarget): LiveFault | undefined {
    return this.#injected.take((fault) => concerns(fault) && allows(fault.kind));
  }
}

export function requestTarget({ method, params }: Pick<LiveRequest, 'method' | 'params'>): FaultTarget {
  return {
    allows: (kind) => struckBy(kind) === 'request',
    concerns: ({ channel, market }) =>
      (channel === undefined ? method !== 'ping' : method === channel || method.startsWith(`${channel}_`)) &&
      (market === undefined || params.flat().includes(market)),
  };
}

function randomly({ share, kinds = liveFaultKinds, seed = 1 }: RandomLiveFaults) {
  const random = createRandom(seed);
  return ({ allows, concerns }: FaultTarget): LiveFault | undefined => {
    if (random() >= share) return undefined;
    // A handshake has no connection yet.
    const canEnd = !allows('refuse');
    const possible = kinds.filter((kind) => allows(kind) || (canEnd && struckBy(kind) === 'connection'));
    const kind = possible[Math.floor(random() * possible.length)];
    return kind === undefined || !concerns({}) ? undefined : { kind };
  };
}
