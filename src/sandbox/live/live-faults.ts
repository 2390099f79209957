// Which fault each handshake, connection, request and message meets: injected ones in order, then those at random.
import { PendingFaults } from '../faults/index.js';
import { createRandom } from '../random.js';
import {
  liveFaultKinds,
  struckBy,
  type LiveFault,
  type LiveFaultKind,
  type RandomLiveFaults,
  type Strikes,
} from './live-fault.js';

export type Restriction = Pick<LiveFault, 'channel' | 'market'>;

interface FaultTarget {
  readonly concerns?: (restriction: Restriction) => boolean;
  readonly allows?: (kind: LiveFaultKind) => boolean;
}

export class LiveFaults extends PendingFaults<LiveFault> {
  #atRandom: ((possible: (kind: LiveFaultKind) => boolean) => LiveFault | undefined) | undefined;

  setRandom(faults: RandomLiveFaults | undefined): void {
    this.#atRandom = faults && randomly(faults);
  }

  take(strikes: Strikes, { concerns = () => true, allows = () => true }: FaultTarget = {}): LiveFault | undefined {
    const isOwn = (kind: LiveFaultKind) => struckBy(kind) === strikes && allows(kind);
    const injected = this.takeFirst((fault) => isOwn(fault.kind) && concerns(fault));
    if (injected !== undefined || strikes === 'connection' || this.#atRandom === undefined) return injected;
    // A random fault of a connection meets it with a request, message or event of it.
    const canEnd = strikes !== 'handshake';
    const fault = this.#atRandom((kind) => isOwn(kind) || (canEnd && struckBy(kind) === 'connection'));
    return concerns({}) ? fault : undefined;
  }
}

function randomly({ share, kinds = liveFaultKinds, seed = 1 }: RandomLiveFaults) {
  const random = createRandom(seed);
  return (isPossible: (kind: LiveFaultKind) => boolean): LiveFault | undefined => {
    if (random() >= share) return undefined;
    const possible = kinds.filter(isPossible);
    const kind = possible[Math.floor(random() * possible.length)];
    return kind && { kind };
  };
}
