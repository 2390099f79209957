// The results of a client's other requests. They replace a ping that waited too long for its permit, so that an outage
// is noticed although no ping is sent.
import type { ClientEvent } from '../client/index.js';
import type { OthersResult } from './health.js';

/** Judges the other requests as pings are judged: by timeouts and by consecutive failures. */
export class OtherRequests {
  readonly #timeoutMs: number;
  readonly #downAfter: number;
  #inFlight = 0;
  /** Since this time requests were sent and none got a response. */
  #silentSince: number | undefined;
  /** Failures since the last response, and the reason of the last one. */
  #failures = 0;
  #reason: Exclude<OthersResult, 'responded'> = 'unreachable';
  /** Whether a request got a response, or failed, since the last {@link result}. */
  #isResponded = false;
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
    // Requests that were sent before the subscription are not counted.
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    const result = resultOf(event, this.#timeoutMs);
    if (result === 'responded') {
      this.#isResponded = true;
      this.#failures = 0;
      this.#silentSince = this.#inFlight > 0 ? performance.now() : undefined;
    } else if (result !== undefined) {
      this.#isFailed = true;
      this.#failures += 1;
      this.#reason = result;
    }
  }

  /** The result since the last call; `undefined` when the requests show neither that the exchange is up nor down. */
  result(): OthersResult | undefined {
    const [isResponded, isFailed] = [this.#isResponded, this.#isFailed];
    this.#isResponded = this.#isFailed = false;
    if (isResponded) return 'responded';
    if (this.#silentSince === undefined || performance.now() - this.#silentSince < this.#timeoutMs) return undefined;
    // A single failure long ago says nothing about now. After several in a row the permits are used up, so that no
    // newer result can be expected.
    if (this.#failures >= this.#downAfter || isFailed) return this.#reason;
    return this.#inFlight > 0 ? 'unreachable' : undefined;
  }
}

/** A 429 shows nothing, nor does a request whose subscriber left early. A rejection is a response like any other. */
function resultOf(
  { result, kind, durationMs, status = 0 }: Extract<ClientEvent, { readonly type: 'response' }>,
  timeoutMs: number,
): OthersResult | undefined {
  if (result === 'ok') return 'responded';
  if (result === 'canceled') return durationMs >= timeoutMs ? 'unreachable' : undefined;
  if (kind === 'rate-limited') return undefined;
  if (kind === 'unavailable') return 'unavailable';
  if (kind === 'transport' || kind === 'timeout') return 'unreachable';
  return kind === 'response' || status >= 500 ? 'failing' : 'responded';
}
