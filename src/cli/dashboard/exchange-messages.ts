// Messages of the feed: the links to the exchange, and the exchange as the witness of everything, which is never stale.

export interface Links {
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
  readonly nextAttemptAt: number | null;
  readonly reason?: string;
}

export interface RequestsLink {
  /** `waiting`: no request has ended yet. */
  readonly status: 'up' | 'degraded' | 'down' | 'waiting';
  readonly since: number;
  /** When the last ping ended; `null` before the first. */
  readonly at: number | null;
  /** Of the last ping; `null` when it failed. */
  readonly latencyMs: number | null;
  /** Of the last 60 pings. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly nextAttemptAt: number | null;
  /** Why it is not up, in words, such as `ECONNREFUSED` or `HTTP 503`. */
  readonly reason?: string;
}

export interface ExchangePart {
  readonly counts: Readonly<Record<'gaps' | 'losses' | 'errors', number>>;
  readonly countedSince: number;
  readonly limits: readonly LimitUsage[];
  readonly events: readonly EventRow[];
}

export interface LatencyPoint {
  readonly at: number;
  readonly ms: number | null;
}

export interface LimitUsage {
  readonly rateLimit: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly used: number;
  readonly queued: number;
  readonly coolDownUntil: number | null;
}

export interface EventRow {
  readonly id: number;
  readonly at: number;
  readonly kind: 'error' | 'gap' | 'lost' | 'back' | 'down' | 'up' | 'doubt' | 'decided' | 'act' | 'note';
  readonly text: string;
}
