// The door of calls: one call, from its parameters to an observable.
export { AbsenceProof, lookUpUntilDecided, type AbsencePremises } from './absence-proof.js';
export { allItems } from './all-items.js';
export { Attempt, type AttemptObserver } from './attempt.js';
export { Call, type Desk, type IsOfAnother } from './call.js';
export { CallSite, CallWarnings, type WarnedProcess } from './call-site.js';
export {
  findLimits,
  onlyOptions,
  type CallEvent,
  type CallLimits,
  type CallOptions,
  type FindOptions,
} from './call-options.js';
export { Caller, lookupOptions, type CheckedCall, type OwnTerms } from './caller.js';
export {
  bulk,
  clockToleranceMs,
  defaultLookupTimeoutMs,
  finding,
  hold,
  noKeeper,
  nothingKnown,
  moving,
  placing,
  type Answer,
  type Hold,
  type Keeper,
  type Note,
  type Premises,
  type Question,
  type Sent,
} from './change.js';
export { checkRequest } from './check-request.js';
export {
  backoff,
  isRefusedNonce,
  isTransient,
  jitterOf,
  nextRetry,
  requestedDelayMs,
  RetryBudget,
  retryPolicyRules,
  type Retries,
  type RetryPolicy,
} from './retries.js';
export { Run, type StartAttempt } from './run.js';
