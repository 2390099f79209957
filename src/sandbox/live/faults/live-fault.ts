// The faults of the real-time interface that a test can inject: their kinds, and the fields that each kind uses.

/** The kinds that a handshake meets. */
export const handshakeKinds = ['refuse', 'status', 'slow-handshake', 'no-handshake'] as const;
/** The kinds that an open connection meets, at once. */
export const connectionKinds = ['cut', 'close', 'half-open', 'mute'] as const;
/** The kinds that a request meets. */
export const requestKinds = [
  'no-pong',
  'no-response',
  'late-response',
  'wrong-id',
  'duplicate-response',
  'refuse-request',
  'push-before-response',
] as const;
/** The kinds that an `authorize` meets. */
export const authorizeKinds = ['token-expired', 'token-used', 'authorize-lost'] as const;
/** The kinds that change whether and when a message is sent. */
export const deliveryKinds = ['drop', 'duplicate', 'reorder', 'delay', 'burst'] as const;
/** The kinds that an event of an account meets: a change of an order, a deal, or a margin call. */
export const accountKinds = [
  'silent-loss',
  'collapse',
  'order-before-deal',
  'event-before-response',
  'history-lag',
] as const;
/** The kinds that change a message of `depth` or `trades`. */
export const valueKinds = [
  'gap',
  'snapshot-only',
  'delta-first',
  'old-stream',
  'crossed',
  'long-window',
  'unsorted',
  'empty-side',
  'unnormalized',
  'zero-variants',
  'replay',
] as const;
/** The kinds that change the frame of a message, or send another one before it. */
export const frameKinds = [
  'corrupt',
  'binary',
  'huge',
  'deep',
  'proto-key',
  'nan',
  'big-int',
  'bom',
  'fragmented',
  'empty-frame',
  'unknown-method',
  'unknown-field',
  'int-as-string',
] as const;

/**
 * What happens on the real-time interface.
 *
 * A handshake:
 * - `refuse`: the connection is refused. On a port, it is reset.
 * - `status`: the gateway responds with an HTTP status, 503 by default.
 * - `slow-handshake`: the response takes longer.
 * - `no-handshake`: no response arrives.
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
 * - `token-expired`, `token-used`: it is rejected like one with such a token.
 * - `authorize-lost`: its response is lost.
 *
 * A message with values:
 * - `drop`, `duplicate`, `burst`: it is lost, or comes twice, or 10,000 times at once.
 * - `reorder`: it comes after the next message of its channel and market.
 * - `delay`: it comes later.
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
 * - `crossed`: a bid is above the asks. `long-window`: 150 more asks. `unsorted`: the levels are in the wrong order.
 * - `empty-side`: the asks of a snapshot are an empty list; a change has an empty list for a side without a change.
 * - `unnormalized`: prices and amounts end with zeros. `zero-variants`: a removal has the amount `0.0` or `0.00000000`.
 *
 * A message of `trades`:
 * - `replay`: the last 100 trades come again with the new ones.
 *
 * A frame:
 * - `corrupt`: not JSON. `binary`: a binary frame. `huge`: 9 MiB. `deep`: lists in lists, 100,000 deep.
 * - `proto-key`: with fields named `__proto__`. `nan`: a decimal is `NaN`. `big-int`: an integer is above 2^53.
 * - `int-as-string`: numbers are strings. `unknown-field`: with one more field.
 * - `bom`: begins with a byte order mark. `fragmented`: in two fragments, on a port only.
 * - `empty-frame`, `unknown-method`: after an empty frame, or one with an unknown method.
 */
export type LiveFaultKind =
  | (typeof handshakeKinds)[number]
  | (typeof connectionKinds)[number]
  | (typeof requestKinds)[number]
  | (typeof authorizeKinds)[number]
  | (typeof deliveryKinds)[number]
  | (typeof accountKinds)[number]
  | (typeof valueKinds)[number]
  | (typeof frameKinds)[number];

/** Every {@link LiveFaultKind}. */
export const liveFaultKinds: readonly LiveFaultKind[] = [
  ...handshakeKinds,
  ...connectionKinds,
  ...requestKinds,
  ...authorizeKinds,
  ...deliveryKinds,
  ...accountKinds,
  ...valueKinds,
  ...frameKinds,
];

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
  /** How long after the call the fault can occur, milliseconds by the sandbox's clock. Default 0. */
  readonly afterMs?: number;
  /** `cut`: how many more frames the client gets before. Default 0. */
  readonly afterFrames?: number;
  /** `cut`: the connection ends in the middle of the next frame; in process, before it. Default false. */
  readonly midFrame?: boolean;
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
  /** `refuse-request`: what the rejection leaves of the subscription of a list. Default `whole`. */
  readonly leaves?: 'whole' | 'partial' | 'empty';
  /** `no-response`, `authorize-lost`: whether the exchange executes the request. Default true. */
  readonly executed?: boolean;
}

type OwnField = Exclude<keyof LiveFault, 'kind' | 'channel' | 'market' | 'times' | 'afterMs'>;

/** The kinds that use each field; every kind uses the fields that are not here. */
export const kindsOfField: Readonly<Record<OwnField, readonly LiveFaultKind[]>> = {
  afterFrames: ['cut'],
  midFrame: ['cut'],
  status: ['status'],
  retryAfterSeconds: ['status'],
  delayMs: ['slow-handshake', 'late-response', 'delay', 'history-lag'],
  code: ['close', 'refuse-request'],
  leaves: ['refuse-request'],
  executed: ['no-response', 'authorize-lost'],
};

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

/** The kinds that networks and gateways are known to cause. */
export const commonLiveFaultKinds: readonly LiveFaultKind[] = [
  ...handshakeKinds,
  ...connectionKinds,
  'no-pong',
  'no-response',
  'late-response',
  'refuse-request',
  ...authorizeKinds,
  'drop',
  'duplicate',
  'reorder',
  'delay',
  ...accountKinds,
  'corrupt',
];
