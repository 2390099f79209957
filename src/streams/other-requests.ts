// What a client's other requests say of the exchange, for a ping that our own limit kept back: an outage is one
// although no ping was sent.
import type { ClientEvent } from '../client/index.js';
import type { HealthReason } from './health.js';

/** What they met: answers, or the reason why there was none. */
export type Met = 'responded' | Exclude<HealthReason, 'slow' | 'limited'>;

/** Responses, and their absence, as {@link HealthThresholds} judges pings: by time-outs, and by failures in a row. */
export class OtherRequests {
  readonly #timeoutMs: number;
  readonly #downAfter: number;
  #inFlight = 0;
  /** Since when requests were sent and none was answered. */
  #silentSince: number | undefined;
  /** How many failed since one was answered, and the last of them how. */
  #failures = 0;
  #reason: Exclude<Met, 'responded'> = 'unreachable';
  /** Since the last verdict. */
  #isAnswered = false;
  #isFailed = false;

  constructor(timeoutMs: number, downAfter: number) {
    this.#timeoutMs = timeoutMs;
    this.#downAfter = downAfter;
  }

  add(event: ClientEvent): void {
    if (event.type === 'request') {
      this.#inFlight += 1;
      this.#silentSince ??= performance.now();
    }
    if (event.type !== 'response') return;
    // Those that were sent before anyone listened are not counted.
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    const met = metBy(event, this.#timeoutMs);
    if (met === 'responded') {
      this.#isAnswered = true;
      this.#failures = 0;
      this.#silentSince = this.#inFlight > 0 ? performance.now() : undefined;
    } else if (met !== undefined) {
      this.#isFailed = true;
      this.#failures += 1;
      this.#reason = met;
    }
  }

  /**
   * What they met since this was last asked; nothing when that says neither that the exchange is there nor that it is
   * not.
   */
  verdict(): Met | undefined {
    const [isAnswered, isFailed] = [this.#isAnswered, this.#isFailed];
    this.#isAnswered = this.#isFailed = false;
    if (isAnswered) return 'responded';
    if (this.#silentSince === undefined || performance.now() - this.#silentSince < this.#timeoutMs) return undefined;
    // One that failed long ago says nothing of now. Of several in a row, the permits are out, and nothing newer can be
    // known.
    if (this.#failures >= this.#downAfter || isFailed) return this.#reason;
    return this.#inFlight > 0 ? 'unreachable' : undefined;
  }
}

/** A 429 says nothing, nor does a request whose subscriber left early. A refusal is an answer like any other. */
function metBy(
  { result, kind, durationMs, status = 0 }: Extract<ClientEvent, { readonly type: 'response' }>,
  timeoutMs: number,
): Met | undefined {
  if (result === 'ok') return 'responded';
  if (result === 'canceled') return durationMs >= timeoutMs ? 'unreachable' : undefined;
  if (kind === 'rate-limited') return undefined;
  if (kind === 'unavailable') return 'unavailable';
  if (kind === 'transport' || kind === 'timeout') return 'unreachable';
  return kind === 'response' || status >= 500 ? 'failing' : 'responded';
}
