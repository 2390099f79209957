// The faults that `exchange-rx sandbox --faults` reads from a file.
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { noList } from '../model/map.js';
import { faultKinds, type Sandbox } from '../sandbox/index.js';
import { UsageError } from './exit-codes.js';

const kind = v.picklist(faultKinds, `must be one of ${faultKinds.join(', ')}`);
const count = v.pipe(v.number(), v.integer(), v.minValue(1, 'must be 1 or more'));
const positive = v.pipe(v.number(), v.minValue(0, 'must be 0 or more'));

const planFields = v.strictObject({
  /** Faults in order: each is for the next requests that fit. */
  faults: v.exactOptional(
    v.array(
      v.strictObject({
        kind,
        path: v.exactOptional(v.string()),
        times: v.exactOptional(count),
        executed: v.exactOptional(v.boolean()),
        status: v.exactOptional(
          v.pipe(
            v.number(),
            v.integer(),
            v.minValue(200),
            v.maxValue(599),
            v.check((status) => ![204, 205, 304].includes(status), 'must be one that has a body'),
          ),
        ),
        retryAfterSeconds: v.exactOptional(positive),
        delayMs: v.exactOptional(positive),
        hang: v.exactOptional(v.boolean()),
      }),
    ),
  ),
  /** Faults at random, the same for the same seed. */
  atRandom: v.exactOptional(
    v.strictObject({
      seed: v.number(),
      rate: v.pipe(v.number(), v.minValue(0), v.maxValue(1, 'must be from 0 to 1')),
      kinds: v.exactOptional(v.array(kind)),
      paths: v.exactOptional(v.array(v.string())),
      longestDelayMs: v.exactOptional(positive),
      maxExecutionDelayMs: v.exactOptional(positive),
    }),
  ),
});

const planSchema = v.pipe(v.string(), v.parseJson(undefined, 'must be JSON'), noList, planFields);

/** Orders the faults of a file; throws {@link UsageError} that says what is wrong with it. */
export function applyFaultPlan(sandbox: Sandbox, path: string): void {
  const parsed = v.safeParse(planSchema, readPlan(path));
  if (!parsed.success) {
    const issues = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? 'the plan'}: ${issue.message}`);
    throw new UsageError(`${path}: ${issues.join('; ')}`);
  }
  try {
    for (const fault of parsed.output.faults ?? []) sandbox.fault(fault);
    sandbox.randomFaults(parsed.output.atRandom);
  } catch (error) {
    // The sandbox knows its routes, and which fields go together.
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readPlan(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path}: cannot be read`);
  }
}
