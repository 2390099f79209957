// The faults of the real-time interface that a test can inject: their kinds, and their fields.
/** What meets a fault. Events are those of accounts. */
export type Strikes = 'handshake' | 'connection' | 'request' | 'message' | 'event';

interface KindOfLiveFault {
  readonly strikes: Strikes;
  /** The fields that it uses besides `kind`, `channel`, `market` and `times`. */
  readonly uses: readonly ('status' | 'retryAfterSeconds' | 'delayMs' | 'code' | 'executed')[];
}

const at = (strikes: Strikes, ...uses: KindOfLiveFault['uses']): KindOfLiveFault => ({ strikes, uses });

export const kindsOfLiveFaults = {
  refuse: at('handshake'),
  status: at('handshake', 'status', 'retryAfterSeconds'),
  'slow-handshake': at('handshake', 'delayMs'),
  cut: at('connection'),
  close: at('connection', 'code'),
  'half-open': at('connection'),
  mute: at('connection'),
  'no-response': at('request', 'executed'),
  'late-response': at('request', 'delayMs'),
  'refuse-request': at('request', 'code'),
  drop: at('message'),
  duplicate: at('message'),
  reorder: at('message'),
  delay: at('message', 'delayMs'),
  corrupt: at('message'),
  'silent-loss': at('event'),
  collapse: at('event'),
  'order-before-deal': at('event'),
  'event-before-response': at('event'),
  'history-lag': at('event', 'delayMs'),
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
 * - `no-response`, `late-response`: the response is lost, or comes later.
 * - `refuse-request`: the request is rejected.
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
 */
export type LiveFaultKind = keyof typeof kindsOfLiveFaults;

const isKind = (name: string): name is LiveFaultKind => Object.hasOwn(kindsOfLiveFaults, name);

/** Every {@link LiveFaultKind}. */
export const liveFaultKinds: readonly LiveFaultKind[] = Object.keys(kindsOfLiveFaults).filter(isKind);

export function struckBy(kind: LiveFaultKind): Strikes {
  return kindsOfLiveFaults[kind].strikes;
}

/** A fault to inject into the real-time interface. `sandbox.liveFault()` throws for a field that the kind does not use. */
export interface LiveFault {
  /** What happens. */
  readonly kind: LiveFaultKind;
  /**
   * Only connections that are subscribed to this channel, or requests and messages of it, such as `depth`. The methods
   * `ping` and `authorize` are channels for faults of requests. Not used by handshakes. Default: every channel; pings
   * meet only faults that name them.
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
  /** `no-response`: whether the exchange executes the request. Default true. */
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
  /** The kinds to choose from. Default: all. */
  readonly kinds?: readonly LiveFaultKind[];
  /** Seed of the random choices, an integer of 0 or more. Default 1. */
  readonly seed?: number;
}
