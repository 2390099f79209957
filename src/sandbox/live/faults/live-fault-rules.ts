// Which faults of the real-time interface can be injected.
import * as v from 'valibot';
import { durationMs, fields, flag, integerFrom, market, nonEmptyList, numberFrom, oneOf } from '../../check.js';
import { accountChannelNames } from '../account-channels/index.js';
import { channelNames } from '../public-channels.js';
import { kindsOfField, liveFaultKinds, type LiveFault, type RandomLiveFaults } from './live-fault.js';

/** The name of a channel on the wire. */
export const aChannel = oneOf(...channelNames, ...accountChannelNames);

const faultFields = {
  kind: oneOf(...liveFaultKinds),
  channel: v.optional(aChannel),
  market: v.optional(market),
  times: v.optional(integerFrom(1)),
  afterMs: v.optional(durationMs),
  afterFrames: v.optional(integerFrom(0)),
  midFrame: v.optional(flag),
  status: v.optional(integerFrom(200, 599)),
  retryAfterSeconds: v.optional(numberFrom(0)),
  delayMs: v.optional(durationMs),
  code: v.optional(integerFrom(1, 4999)),
  leaves: v.optional(oneOf('whole', 'partial', 'empty')),
  executed: v.optional(flag),
} satisfies Record<keyof LiveFault, v.GenericSchema>;

/** A field that the kind does not use would have no effect, and the test would pass without testing anything. */
const usedByKind = v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const { kind, ...others } = dataset.value;
  for (const [field, users] of Object.entries(kindsOfField)) {
    if (others[field] === undefined || users.some((user) => user === kind)) continue;
    addIssue({ message: `${field} is a field of kind ${users.map((user) => `"${user}"`).join(', ')}` });
  }
});

const codeOfClose = v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const { kind, code } = dataset.value;
  // Codes that a close frame must not contain.
  if (kind === 'close' && typeof code === 'number' && (code < 1000 || [1004, 1005, 1006, 1015].includes(code)))
    addIssue({ message: `code ${code} must be from 1000 to 4999, and not 1004, 1005, 1006 or 1015` });
});

export const liveFaultRules = v.pipe(fields(faultFields), usedByKind, codeOfClose);

export const randomLiveFaultRules = fields({
  share: numberFrom(0, 1),
  kinds: v.optional(nonEmptyList(faultFields.kind)),
  seed: v.optional(integerFrom(0)),
} satisfies Record<keyof RandomLiveFaults, v.GenericSchema>);
