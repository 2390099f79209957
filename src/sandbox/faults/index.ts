// Injected faults, as the rest of the sandbox uses them.
export { withMalformedRecords, withUnexpectedFields } from './altered-body.js';
export { faultRules, randomFaultRules } from './fault-rules.js';
export { faultKinds, fieldsOfKind, type Fault, type FaultKind, type PendingFault, type RandomFaults } from './fault.js';
export { ConnectionFault, faultyResponse, gatewayPage, TruncatedResponse } from './faulty-response.js';
export { InjectedFaults, type AppliedFault } from './injected-faults.js';
