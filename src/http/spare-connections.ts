// Connections that are opened ahead, so that a request does not wait for a handshake. undici's pool takes them from its
// connector. Nothing is written on them before.
import { Socket } from 'node:net';
import { buildConnector } from 'undici/index.js';

/** Options of {@link SpareConnections}. */
export interface SpareOptions {
  readonly connect: buildConnector.BuildOptions;
  /** How many are kept open. */
  readonly size: number;
  /** The age at which a connection is replaced, milliseconds: servers close one that brings no request. */
  readonly maxAgeMs: number;
}

/** Pause before a connection that failed, or that the server closed, is replaced, milliseconds; doubles each time. */
const minPauseMs = 1000;
const maxPauseMs = 60_000;

interface Spare {
  readonly socket: Socket;
  /** Removes the listeners and timers of a spare connection. */
  readonly release: () => void;
}

/** The spare connections to one address. They keep no process alive. */
export class SpareConnections {
  /** undici returns the connection that is being made, which its types do not say. */
  readonly #open: (...args: Parameters<buildConnector.connector>) => unknown;
  readonly #target: buildConnector.Options;
  readonly #size: number;
  readonly #maxAgeMs: number;
  readonly #spares = new Set<Spare>();
  #opening = 0;
  #pauseMs = minPauseMs;
  #pause: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(origin: string, { connect, size, maxAgeMs }: SpareOptions) {
    const { host, hostname, protocol, port } = new URL(origin);
    this.#target = { host, hostname: hostname.replaceAll(/^\[|\]$/g, ''), protocol, port };
    this.#open = buildConnector(connect);
    this.#size = size;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The connector of the pool: gives a spare connection, or opens one. */
  readonly connect: buildConnector.connector = (target, callback) => {
    const [spare] = this.#spares;
    if (spare === undefined) this.#open(target, callback);
    else {
      this.#spares.delete(spare);
      this.#pauseMs = minPauseMs;
      // A pool expects its connection in a later tick. Until then, what the server has sent arrives: its end must not cost
      // a request, and its bytes must not become the response to one.
      setImmediate(() => {
        spare.release();
        if (spare.socket.destroyed) this.#open(target, callback);
        else callback(null, spare.socket.ref());
      });
    }
    this.#fill();
  };

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    for (const spare of this.#spares) {
      this.#remove(spare);
      spare.socket.destroy();
    }
  }

  #fill(): void {
    if (this.#isClosed || this.#pause !== undefined) return;
    while (this.#spares.size + this.#opening < this.#size) {
      this.#opening += 1;
      const socket = this.#open(this.#target, (error, opened) => {
        this.#opening -= 1;
        if (error === null) this.#keep(opened);
        else this.#fillLater();
      });
      if (socket instanceof Socket) socket.unref();
    }
  }

  #keep(socket: Socket): void {
    socket.unref();
    // A server may reset a connection at any time, also while it passes to the pool.
    socket.on('error', () => undefined);
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    const spare: Spare = {
      socket,
      release: () => {
        clearTimeout(expiry);
        socket.off('readable', drop).off('end', drop).off('close', drop);
      },
    };
    const drop = () => {
      this.#remove(spare);
      socket.destroy();
      this.#fillLater();
    };
    const expiry = setTimeout(() => {
      this.#remove(spare);
      socket.destroy();
      this.#pauseMs = minPauseMs;
      this.#fill();
    }, this.#maxAgeMs).unref();
    // No request was sent on it. Bytes that arrive all the same would be read as the response to the first request.
    socket.on('readable', drop).on('end', drop).on('close', drop);
    this.#spares.add(spare);
  }

  #remove(spare: Spare): void {
    this.#spares.delete(spare);
    spare.release();
  }

  #fillLater(): void {
    if (this.#isClosed || this.#pause !== undefined) return;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#fill();
    }, this.#pauseMs).unref();
    this.#pauseMs = Math.min(2 * this.#pauseMs, maxPauseMs);
  }
}
