// What keeps the streams of the live connection true: one recovery for all that a read or a snapshot repairs.
export { Recovery, type ReadKind, type Recoverable, type RecoveryOptions } from './recovery.js';
export { gapOf, Outage, type GapFact } from './outage.js';
