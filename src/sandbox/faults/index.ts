// Injected faults, as the rest of the sandbox uses them.
export {
  faultKinds,
  faultRules,
  randomFaultRules,
  type Fault,
  type FaultKind,
  type PendingFault,
  type RandomFaults,
} from './fault.js';
export { ConnectionFault, gatewayPage, truncated, TruncatedResponse } from './lost-connection.js';
export { InjectedFaults, PendingFaults, type AppliedFault } from './injected-faults.js';
