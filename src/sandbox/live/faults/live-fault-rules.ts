// Which faults of the real-time interface can be injected.
import * as v from 'valibot';
import { durationMs, fields, flag, integerFrom, market, oneOf, text } from '../../check.js';
import { fieldsOfLiveKind, liveFaultKinds, type LiveFault } from './live-fault.js';

const faultFields = {
  kind: oneOf(...liveFaultKinds),
  channel: v.optional(text),
  market: v.optional(market),
  times: v.optional(integerFrom(1)),
  afterMs: v.optional(durationMs),
  afterFrames: v.optional(integerFrom(0)),
  midFrame: v.optional(flag),
} satisfies Record<keyof LiveFault, v.GenericSchema>;

const always = ['kind', 'channel', 'market', 'times', 'afterMs'];

/** A field that the kind does not use would have no effect, and the test would pass without testing anything. */
const usedByKind = v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const kind = liveFaultKinds.find((known) => known === dataset.value['kind']);
  if (kind === undefined) return;
  const used: readonly string[] = [...always, ...fieldsOfLiveKind[kind]];
  for (const [field, value] of Object.entries(dataset.value)) {
    if (value !== undefined && !used.includes(field)) addIssue({ message: `${field} is no field of kind "${kind}"` });
  }
});

export const liveFaultRules = v.pipe(fields(faultFields), usedByKind);
