// A connection as the two doors offer it, in process and on a port.

/** A frame to a client. */
export interface Frame {
  readonly text: string;
  /** `binary`: a binary frame. `fragmented`: in two fragments, where a real socket allows it. Default: a text frame. */
  readonly form?: 'binary' | 'fragmented';
}

/** The client's end of a connection. */
export interface LiveSocket {
  send(frame: Frame): void;
  /** Sends a close frame and ends the connection. */
  close(code: number, reason: string): void;
  /** Ends the connection without a close frame; in the middle of a frame with this text, where a real socket allows it. */
  end(torn?: string): void;
  /** Nothing passes in either direction any more, and the connection does not end. */
  freeze(): void;
}

/** How the gateway treats a handshake. */
export interface Admission {
  /** `refused`: the connection is refused or reset. `never`: no response arrives. */
  readonly response: { readonly status: number; readonly retryAfterSeconds?: number } | 'refused' | 'never';
  /** Milliseconds until the response. */
  readonly delayMs: number;
}
