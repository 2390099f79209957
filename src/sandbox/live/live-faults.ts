// Which fault each handshake, connection, request and message meets: injected ones in order, then those at random. The
// rules of both.
import * as v from 'valibot';
import * as c from '../check.js';
import { PendingFaults } from '../faults/index.js';
import { createRandom } from '../random.js';
import { channelNames } from './channels/index.js';
import { kindsOfLiveFaults, liveFaultKinds, struckBy } from './live-fault.js';
import type { LiveFault, LiveFaultKind, RandomLiveFaults, Strikes } from './live-fault.js';

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

export const aChannel = c.oneOf(...channelNames);

const faultFields = {
  kind: c.oneOf(...liveFaultKinds),
  channel: v.optional(c.oneOf(...channelNames, 'ping', 'authorize')),
  market: v.optional(c.market),
  times: v.optional(c.integerFrom(1)),
  status: v.optional(c.integerFrom(200, 599)),
  retryAfterSeconds: v.optional(c.numberFrom(0)),
  delayMs: v.optional(c.durationMs),
  code: v.optional(c.integerFrom(1, 4999)),
  executed: v.optional(c.flag),
} satisfies c.ChecksOf<LiveFault>;

export const liveFaultRules = v.pipe(
  c.usedByKind(c.fields(faultFields), kindsOfLiveFaults),
  // Codes that a close frame must not contain.
  v.check(
    ({ kind, code = 1000 }) => kind !== 'close' || (code >= 1000 && ![1004, 1005, 1006, 1015].includes(code)),
    'code must be from 1000 to 4999, and not 1004, 1005, 1006 or 1015',
  ),
);

export const randomLiveFaultRules = c.fields({
  share: c.numberFrom(0, 1),
  kinds: v.optional(c.nonEmptyList(faultFields.kind)),
  seed: v.optional(c.integerFrom(0)),
} satisfies c.ChecksOf<RandomLiveFaults>);
