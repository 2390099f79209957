// The faults of the real-time interface that a test can inject: their kinds, and their fields.

/** What meets a fault. Events are those of accounts; values are those of `depth`. */
type Strikes = 'handshake' | 'connection' | 'request' | 'authorize' | 'message' | 'event' | 'values';

interface KindOfLiveFault {
  readonly strikes: Strikes;
  /** The fields that it uses besides `kind`, `channel`, `market` and `times`. */
  readonly uses: readonly Exclude<keyof LiveFault, 'kind' | 'channel' | 'market' | 'times'>[];
  /** Whether networks and gateways are known to cause it. */
  readonly isCommon: boolean;
}

const common = (strikes: Strikes, ...uses: KindOfLiveFault['uses']): KindOfLiveFault => ({
  strikes,
  uses,
  isCommon: true,
});
const rare = (strikes: Strikes): KindOfLiveFault => ({ strikes, uses: [], isCommon: false });

/** Every kind, and where it strikes. */
export const kindsOfLiveFaults = {
  refuse: common('handshake'),
  status: common('handshake', 'status', 'retryAfterSeconds'),
  'slow-handshake': common('handshake', 'delayMs'),
  cut: common('connection'),
  close: common('connection', 'code'),
  'half-open': common('connection'),
  mute: common('connection'),
  'no-pong': common('request'),
  'no-response': common('request', 'executed'),
  'late-response': common('request', 'delayMs'),
  'wrong-id': rare('request'),
  'duplicate-response': rare('request'),
  'refuse-request': common('request', 'code'),
  'push-before-response': rare('request'),
  'token-expired': common('authorize'),
  'authorize-lost': common('authorize', 'executed'),
  drop: common('message'),
  duplicate: common('message'),
  reorder: common('message'),
  delay: common('message', 'delayMs'),
  'silent-loss': common('event'),
  collapse: common('event'),
  'order-before-deal': common('event'),
  'event-before-response': common('event'),
  'history-lag': common('event', 'delayMs'),
  gap: rare('values'),
  'snapshot-only': rare('values'),
  'delta-first': rare('values'),
  'old-stream': rare('values'),
  crossed: rare('values'),
  unsorted: rare('values'),
  unnormalized: rare('values'),
  'zero-variants': rare('values'),
  corrupt: common('message'),
} satisfies Readonly<Record<string, KindOfLiveFault>>;

/**
 * What happens on the real-time interface.
 *
 * A handshake:
 * - `refuse`: the connection is refused. On a port, it is reset.
 * - `status`: the gateway responds with an HTTP status, 503 by default.
 * - `slow-handshake`: the response takes longer.
 *
 * An open connection:
 * - `cut`: it ends without a close frame.
 * - `close`: the exchange sends a close frame.
 * - `half-open`: nothing passes in either direction any more, and the connection does not end.
 * - `mute`: requests get responses, and no more values come.
 *
 * A request:
 * - `no-pong`: a ping gets no response.
 * - `no-response`, `late-response`, `wrong-id`, `duplicate-response`: the response is lost, comes later, has another
 *   `id`, or comes twice. Pings do not meet these faults.
 * - `refuse-request`: the request is rejected.
 * - `push-before-response`: the first values of a subscription come before its response.
 *
 * An `authorize`:
 * - `token-expired`: it is rejected like one with such a token.
 * - `authorize-lost`: its response is lost.
 *
 * A message with values:
 * - `drop`, `duplicate`: it is lost, or comes twice.
 * - `reorder`: it comes after the next message of its channel and market.
 * - `delay`: it comes later.
 * - `corrupt`: it is cut off, so it is not JSON.
 *
 * An event of an account, on all of its connections:
 * - `silent-loss`: it is never sent; in one channel only, if the fault names the channel.
 * - `collapse`: a partial fill comes with the next event of its order only.
 * - `order-before-deal`: a deal comes after the next event of its order.
 * - `event-before-response`: it is sent before the response of the request that caused it, and not within 100 ms.
 * - `history-lag`: a deal or an ended order is missing from the history for a while. `delay` is the opposite.
 *
 * A message of `depth`:
 * - `gap`: the `past_update_id` of a change is another one.
 * - `snapshot-only`: this change and all later ones of the market are lost on this connection, and snapshots are not.
 * - `delta-first`: a change comes before the snapshot.
 * - `old-stream`: the last changes before a resubscription come again before its snapshot.
 * - `crossed`: a bid is above the asks. `unsorted`: the levels are in the wrong order.
 * - `unnormalized`: prices and amounts end with zeros. `zero-variants`: a removal has the amount `0.0` or `0.00000000`.
 */
export type LiveFaultKind = keyof typeof kindsOfLiveFaults;

const isKind = (name: string): name is LiveFaultKind => Object.hasOwn(kindsOfLiveFaults, name);

/** Every {@link LiveFaultKind}. */
export const liveFaultKinds: readonly LiveFaultKind[] = Object.keys(kindsOfLiveFaults).filter(isKind);

/** The kinds that networks and gateways are known to cause. */
export const commonLiveFaultKinds = liveFaultKinds.filter((kind) => kindsOfLiveFaults[kind].isCommon);

/** What meets a fault of this kind. */
export function struckBy(kind: LiveFaultKind): Strikes {
  return kindsOfLiveFaults[kind].strikes;
}

/** A fault to inject into the real-time interface. `sandbox.liveFault()` throws for a field that the kind does not use. */
export interface LiveFault {
  /** What happens. */
  readonly kind: LiveFaultKind;
  /**
   * Only connections that are subscribed to this channel, or requests and messages of it, such as `depth`. Not used by
   * handshakes. Default: every channel.
   */
  readonly channel?: string;
  /** Only connections that are subscribed to this market, or requests and messages of it. Default: every market. */
  readonly market?: string;
  /** How many handshakes, connections, requests or messages meet the fault, 1 or more. Default 1. */
  readonly times?: number;
  /** `status`: the HTTP status of the response, 200 to 599. Default 503. */
  readonly status?: number;
  /** `status`: the `Retry-After` header of the response, seconds. */
  readonly retryAfterSeconds?: number;
  /**
   * Delay by the sandbox's clock, milliseconds: of the response (`slow-handshake`, `late-response`), the message
   * (`delay`), or the record in the history (`history-lag`). Default 1000.
   */
  readonly delayMs?: number;
  /** `close`: the code of the close frame, 1000 to 4999. Default 1001. `refuse-request`: the code of the rejection. Default 2. */
  readonly code?: number;
  /** `no-response`, `authorize-lost`: whether the exchange executes the request. Default true. */
  readonly executed?: boolean;
}

/** An injected fault of the real-time interface that has not been met as often as it should. */
export interface PendingLiveFault extends LiveFault {
  /** How many more handshakes, connections, requests or messages will meet the fault. */
  readonly remaining: number;
}

/** Faults of the real-time interface at random. The same seed gives the same choices. */
export interface RandomLiveFaults {
  /** The share of handshakes, requests, events of accounts and messages that meet a fault, from 0 to 1. */
  readonly share: number;
  /** The kinds to choose from. Default: all that networks and gateways are known to cause. */
  readonly kinds?: readonly LiveFaultKind[];
  /** Seed of the random choices, an integer of 0 or more. Default 1. */
  readonly seed?: number;
}
