// Messages of the feed: the links to the exchange, and the exchange as the witness of everything, which is never stale.

/** The links to the exchange; the page itself knows its own, `page`. */
export interface Links {
  /** The live connection of market data. */
  readonly stream: StreamLink;
  /** The live connection of the account; absent without credentials. */
  readonly accountStream?: StreamLink;
  readonly requests: RequestsLink;
}

export interface StreamLink {
  readonly status: 'live' | 'connecting' | 'lost' | 'idle';
  /** Since when it is so; of `lost` and the `connecting` that follows it, since the loss. */
  readonly since: number;
  /** The attempt to connect again that is next, from 1; 0 while it is open. */
  readonly attempt: number;
  /** When the next attempt starts; `null` when none is planned. */
  readonly nextAttemptAt: number | null;
  /** Why it was lost, in words. */
  readonly reason?: string;
}

export interface RequestsLink {
  /** `waiting`: no request has ended yet. */
  readonly status: 'up' | 'degraded' | 'down' | 'waiting';
  readonly since: number;
  /** Duration of the last ping; `null` when it failed. */
  readonly latencyMs: number | null;
  /** When the next ping starts. */
  readonly nextAttemptAt: number | null;
  /** Why it is not up, in words, such as `ECONNREFUSED` or `HTTP 503`. */
  readonly reason?: string;
}

export interface ExchangePart {
  readonly health: 'up' | 'degraded' | 'down' | 'waiting';
  /** Since when. */
  readonly since: number;
  /** When the last ping ended. */
  readonly at: number | null;
  /** Of the last 60 pings. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** 0 to 1, of the last 60 pings. */
  readonly successRatio: number | null;
  /** Counts of the last hour, or since `countedSince`. */
  readonly counts: {
    readonly gaps: number;
    /** Lost live connections. */
    readonly losses: number;
    readonly reconnections: number;
    readonly errors: number;
  };
  readonly countedSince: number;
  /** The fullest first, at most 12. */
  readonly limits: readonly LimitUsage[];
  /** Newest first, at most 50. */
  readonly events: readonly EventRow[];
}

export interface LatencyPoint {
  readonly at: number;
  /** `null`: the ping failed. */
  readonly ms: number | null;
}

export interface LimitUsage {
  readonly rateLimit: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly used: number;
  readonly queued: number;
  /** End of the cool-down after a 429; `null` without one. */
  readonly coolDownUntil: number | null;
}

export interface EventRow {
  /** Counts up, from 1: names the event. */
  readonly id: number;
  readonly at: number;
  readonly kind: 'error' | 'gap' | 'lost' | 'back' | 'down' | 'up' | 'doubt' | 'decided' | 'act' | 'note';
  readonly text: string;
}
