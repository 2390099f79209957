// The door of calls: one call, from its parameters to an observable.
export { allItems } from './all-items.js';
export { Attempt, type AttemptObserver } from './attempt.js';
export { Call, type Bounds, type Desk } from './call.js';
export { CallSite, CallWarnings, type WarnedProcess } from './call-site.js';
export { findLimits, onlyOptions, type CallLimits, type CallOptions, type FindOptions } from './call-options.js';
export { Caller, lookupOptions, type CheckedCall } from './caller.js';
export {
  bulk,
  clockToleranceMs,
  finding,
  kindOf,
  noLookup,
  nothingKnown,
  placing,
  type Answer,
  type LookupTerms,
  type Note,
  type Premises,
  type Progress,
  type Question,
  type Sent,
} from './change.js';
export { checkRequest } from './check-request.js';
export type { CallEvent } from './events.js';
export {
  backoff,
  isExpiredNonce,
  isRefusedNonce,
  isTransient,
  isTransientAndNotExecuted,
  jitterOf,
  nextRetry,
  requestedDelayMs,
  RetryBudget,
  retryPolicyRules,
  type Retries,
  type RetryPolicy,
} from './retries.js';
export { hold, noKeeper, type Hold, type Keeper, type OwnTerms } from './keeper.js';
export { Run, type StartAttempt } from './run.js';
