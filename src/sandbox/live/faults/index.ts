// Injected faults of the real-time interface, as the rest of the interface uses them.
export { liveFaultKinds, type LiveFault, type LiveFaultKind, type PendingLiveFault } from './live-fault.js';
export { liveFaultRules } from './live-fault-rules.js';
export { LiveFaults } from './live-faults.js';
