// Messages of the feed: whether figures are true now, and points over time.

/** Whether the figures of a part are true now. Each part that can be stale has it as `state`. */
export interface Freshness {
  /**
   * - `waiting`: no value has come yet.
   * - `live`: pushed by the live connection, and nothing is missing.
   * - `read`: read by requests, which work; true when it was read.
   * - `stale`: the figures are from before an outage, or newer ones may be missing.
   * - `refused`: the exchange refuses it, see `reason`; nothing more will come.
   * - `none`: there is none, such as the account of a client without credentials.
   */
  readonly status: 'waiting' | 'live' | 'read' | 'stale' | 'refused' | 'none';
  readonly at: number | null;
  /** Since when the status is so: since when it waits, or is stale. */
  readonly since: number;
  /** How often a value usually comes; `null` for what comes only when it changes. */
  readonly paceMs: number | null;
  readonly reason?: string;
}

/** Points over time. `whole`: they replace all; otherwise they replace those of the same `at`, and follow the others. */
export interface Series<Point extends { readonly at: number }> {
  readonly whole: boolean;
  /** Oldest first. */
  readonly points: readonly Point[];
}
