// Injected faults of the real-time interface, as the rest of the interface uses them.
export { changedValues } from './changed-values.js';
export {
  liveFaultKinds,
  struckBy,
  type LiveFault,
  type LiveFaultKind,
  type PendingLiveFault,
  type RandomLiveFaults,
} from './live-fault.js';
export { aChannel, liveFaultRules, randomLiveFaultRules } from './live-fault-rules.js';
export { LiveFaults, requestTarget, type FaultTarget, type Restriction } from './live-faults.js';
