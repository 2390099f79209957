// The faults of the real-time interface that a test can inject: their kinds, and the fields that each kind uses.

/**
 * What happens on the real-time interface. An open connection:
 * - `cut`: the connection ends without a close frame.
 */
export type LiveFaultKind = 'cut';

/** Every {@link LiveFaultKind}. */
export const liveFaultKinds: readonly LiveFaultKind[] = ['cut'];

/** A fault to inject into the real-time interface. `sandbox.liveFault()` throws for a field that the kind does not use. */
export interface LiveFault {
  /** What happens. */
  readonly kind: LiveFaultKind;
  /** Only connections, requests or messages of this channel, such as `depth`. Default: of every channel. */
  readonly channel?: string;
  /** Only connections, requests or messages of this market. Default: of every market. */
  readonly market?: string;
  /** How often the fault occurs, 1 or more. Default 1. */
  readonly times?: number;
  /** How long after the call the fault can occur, milliseconds by the sandbox's clock. Default 0. */
  readonly afterMs?: number;
  /** `cut`: how many more frames the client gets before. Default 0. */
  readonly afterFrames?: number;
  /** `cut`: the connection ends in the middle of the next frame; on a port only. Default false. */
  readonly midFrame?: boolean;
}

/** The fields that each kind uses besides `kind`, `channel`, `market`, `times` and `afterMs`. */
export const fieldsOfLiveKind: Readonly<Record<LiveFaultKind, readonly (keyof LiveFault)[]>> = {
  cut: ['afterFrames', 'midFrame'],
};

/** An injected fault of the real-time interface that has not occurred as often as it should. */
export interface PendingLiveFault extends LiveFault {
  /** How often the fault will still occur. */
  readonly remaining: number;
}
