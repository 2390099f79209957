// The rules of injected faults: the fields that a kind uses, and the channels.
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
import { channelNames } from './channels/index.js';
import { kindsOfLiveFaults, liveFaultKinds, type LiveFault, type RandomLiveFaults } from './live-fault.js';

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
