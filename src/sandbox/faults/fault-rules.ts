// Which faults can be injected.
import * as v from 'valibot';
import { durationMs, fields, flag, integerFrom, nonEmptyList, numberFrom, oneOf, path, rule } from '../check.js';
import { faultKinds, fieldsOfKind, type Fault, type FaultKind, type RandomFaults } from './fault.js';

/** HTTP statuses whose responses have no body. */
const withoutBody: readonly unknown[] = [204, 205, 304];
const status = rule<number>(
  (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599 && !withoutBody.includes(value),
  'must be an integer from 200 to 599, and not 204, 205 or 304, which have no body',
);

const faultFields = {
  kind: oneOf(...faultKinds),
  path: v.optional(path),
  times: v.optional(integerFrom(1)),
  executed: v.optional(flag),
  status: v.optional(status),
  retryAfterSeconds: v.optional(numberFrom(0)),
  delayMs: v.optional(durationMs),
  hang: v.optional(flag),
} satisfies Record<keyof Fault, v.GenericSchema>;

/** A field that the kind does not use would have no effect, and the test would pass without testing anything. */
const usedByKind = v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const { kind: given, path: _path, times: _times, ...others } = dataset.value;
  const kind = faultKinds.find((known) => known === given);
  if (kind === undefined) return;
  for (const [field, value] of Object.entries(others)) {
    const uses = (one: FaultKind) => fieldsOfKind[one].some((used) => used === field);
    if (value === undefined || uses(kind)) continue;
    const users = faultKinds.filter(uses).map((one) => `"${one}"`);
    addIssue({
      message: `${field} is a field of kind ${users.join(', ')}; kind "${kind}" does not use it`,
    });
  }
});

export const faultRules = v.pipe(fields(faultFields), usedByKind);

export const randomFaultRules = fields({
  seed: integerFrom(0),
  rate: numberFrom(0, 1),
  kinds: v.optional(nonEmptyList(faultFields.kind)),
  paths: v.optional(nonEmptyList(path)),
  maxDelayMs: v.optional(durationMs),
  maxExecutionDelayMs: v.optional(durationMs),
} satisfies Record<keyof RandomFaults, v.GenericSchema>);
