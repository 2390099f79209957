/**
 * Timers fire up to a millisecond early, and clocks differ: a permit comes back this share of its window later, but 5
 * ms at least.
 */
const guardShare = 0.001;
const minGuardMs = 5;

/** How long after the answer a permit comes back: when the exchange has certainly forgotten the request. */
export function forgetMsOf(windowMs: number): number {
  return windowMs + Math.max(minGuardMs, windowMs * guardShare);
}
