// The check of a plan of faults, such as the file of `exchange-rx sandbox --faults`.
import * as v from 'valibot';
import { noList } from '../model/map.js';
import { check, fields, list, type ChecksOf } from './check.js';
import { faultRules, randomFaultRules, type Fault, type RandomFaults } from './faults/index.js';
import { liveFaultRules, randomLiveFaultRules, type LiveFault, type RandomLiveFaults } from './live/index.js';

/** Faults as a JSON file describes them: see {@link parseFaultPlan}. */
export interface FaultPlan {
  /** For {@link Sandbox.fault}, in this order. */
  readonly faults?: readonly Fault[];
  /** For {@link Sandbox.randomFaults}. */
  readonly randomFaults?: RandomFaults;
  /** For {@link Sandbox.liveFault}, in this order. */
  readonly liveFaults?: readonly LiveFault[];
  /** For {@link Sandbox.randomLiveFaults}. */
  readonly randomLiveFaults?: RandomLiveFaults;
}

const planFields = {
  faults: v.optional(list(faultRules)),
  randomFaults: v.optional(randomFaultRules),
  liveFaults: v.optional(list(liveFaultRules)),
  randomLiveFaults: v.optional(randomLiveFaultRules),
} satisfies ChecksOf<FaultPlan>;

const planRules = v.pipe(v.unknown(), noList, fields(planFields));

function checkPlan(value: unknown): asserts value is FaultPlan {
  check('fault plan', planRules, value);
}

/**
 * Checks a plan of faults, such as the parsed content of a JSON file. Throws an error that names every invalid field.
 *
 * @example
 * ```ts
 * import { createSandbox, parseFaultPlan } from 'exchange-rx/sandbox';
 *
 * const { faults = [], randomFaults } = parseFaultPlan(JSON.parse('{ "faults": [{ "kind": "status", "times": 3 }] }'));
 * const sandbox = createSandbox();
 * for (const fault of faults) sandbox.fault(fault);
 * sandbox.randomFaults(randomFaults);
 * ```
 */
export function parseFaultPlan(value: unknown): FaultPlan {
  checkPlan(value);
  return value;
}
