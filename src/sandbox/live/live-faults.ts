// Which fault each handshake, connection, request and message meets: injected ones in order, then those at random. The
// rules of both.
import * as v from 'valibot';
import {
  durationMs,
  fields,
  flag,
  integerFrom,
  market,
  nonEmptyList,
  numberFrom,
  oneOf,
  usedByKind,
} from '../check.js';
import { PendingFaults } from '../faults/index.js';
import { createRandom } from '../random.js';
import { channelNames } from './channels/index.js';
import {
  kindsOfLiveFaults,
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

export const aChannel = oneOf(...channelNames);

const faultFields = {
  kind: oneOf(...liveFaultKinds),
  channel: v.optional(oneOf(...channelNames, 'ping', 'authorize')),
  market: v.optional(market),
  times: v.optional(integerFrom(1)),
  status: v.optional(integerFrom(200, 599)),
  retryAfterSeconds: v.optional(numberFrom(0)),
  delayMs: v.optional(durationMs),
  code: v.optional(integerFrom(1, 4999)),
  executed: v.optional(flag),
} satisfies Record<keyof LiveFault, v.GenericSchema>;

export const liveFaultRules = v.pipe(
  usedByKind(fields(faultFields), kindsOfLiveFaults),
  // Codes that a close frame must not contain.
  v.check(
    ({ kind, code = 1000 }) => kind !== 'close' || (code >= 1000 && ![1004, 1005, 1006, 1015].includes(code)),
    'code must be from 1000 to 4999, and not 1004, 1005, 1006 or 1015',
  ),
);

export const randomLiveFaultRules = fields({
  share: numberFrom(0, 1),
  kinds: v.optional(nonEmptyList(faultFields.kind)),
  seed: v.optional(integerFrom(0)),
} satisfies Record<keyof RandomLiveFaults, v.GenericSchema>);
