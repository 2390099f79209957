// The two doors of the real-time interface, with one client for both: frames in order of arrival, and how it ended.
import { createSandbox, type Sandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** How a connection ended. */
export interface Ending {
  readonly code: number;
  readonly reason: string;
}

export interface Client {
  readonly send: (message: unknown) => void;
  /** The next frame, parsed; rejects when none arrives. */
  readonly next: () => Promise<unknown>;
  /** All frames that were sent and not read. */
  readonly rest: () => Promise<unknown[]>;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<Ending>;
  readonly close: () => void;
}

export interface World {
  readonly sandbox: Sandbox;
  /** Opens a connection. */
  readonly connect: () => Promise<Client>;
  readonly close: () => Promise<void>;
}

type Socket = Pick<WebSocket, 'send' | 'close'>;

/** Frames in order, with waiting for the next one. */
class Inbox {
  readonly #frames: unknown[] = [];

  add(data: unknown): void {
    this.#frames.push(typeof data === 'string' ? readable(data) : data);
  }

  async next(): Promise<unknown> {
    for (let waits = 0; this.#frames.length === 0; waits += 1) {
      if (waits === maxWaits) throw new Error('no frame arrived');
      await delay(waits < 20 ? 0 : 5);
    }
    return this.#frames.shift();
  }

  /** Takes all frames. */
  take(): unknown[] {
    return this.#frames.splice(0);
  }
}

const maxWaits = 600;

function readable(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

interface ClientParts {
  readonly socket: Socket;
  readonly inbox: Inbox;
  readonly ended: Promise<Ending>;
  /** Resolves when everything that was sent has arrived. */
  readonly arrival: () => Promise<unknown>;
}

function clientOf({ socket, inbox, ended, arrival }: ClientParts): Client {
  return {
    send: (message) => {
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    },
    next: () => inbox.next(),
    rest: async () => {
      await arrival();
      return inbox.take();
    },
    ended,
    close: () => {
      socket.close();
    },
  };
}

function inProcess(sandbox: Sandbox): World {
  return {
    sandbox,
    connect: () =>
      new Promise((resolve, reject) => {
        const socket = new sandbox.WebSocket('wss://exchange.sandbox.test/ws');
        const inbox = new Inbox();
        const ended = new Promise<Ending>((resolveEnd) => {
          socket.addEventListener('close', ({ code = 0, reason = '' }) => {
            resolveEnd({ code, reason });
          });
        });
        socket.addEventListener('message', ({ data }) => {
          inbox.add(data);
        });
        socket.addEventListener('error', () => {
          reject(new Error('the connection failed'));
        });
        socket.addEventListener('open', () => {
          // The sandbox delivers in microtasks.
          resolve(clientOf({ socket, inbox, ended, arrival: () => delay(0) }));
        });
      }),
    close: () => Promise.resolve(),
  };
}

async function onPort(sandbox: Sandbox): Promise<World> {
  const server = await sandbox.listen();
  return {
    sandbox,
    connect: () =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
        const inbox = new Inbox();
        const ended = new Promise<Ending>((resolveEnd) => {
          socket.on('close', (code, reason) => {
            resolveEnd({ code, reason: reason.toString() });
          });
        });
        socket.on('message', (data, isBinary) => {
          inbox.add(isBinary || !(data instanceof Buffer) ? data : data.toString());
        });
        socket.on('error', reject);
        socket.on('open', () => {
          resolve(clientOf({ socket, inbox, ended, arrival: () => arrivalAt(socket, ended) }));
        });
      }),
    close: () => server.close(),
  };
}

/** The gateway's pong comes after what it sent before. A connection that is half open sends none. */
async function arrivalAt(socket: WebSocket, ended: Promise<Ending>): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) {
    await ended;
    return;
  }
  const pong = new Promise((resolve) => {
    socket.once('pong', resolve);
  });
  socket.ping();
  await Promise.race([pong, ended, delay(halfOpenMs)]);
}

const halfOpenMs = 3000;

/** The doors by name: a world with a manual clock and a constant price, unless the options say otherwise. */
export const doors = {
  'in process': (options: SandboxOptions = {}) => Promise.resolve(inProcess(createSandbox(withDefaults(options)))),
  'on a port': (options: SandboxOptions = {}) => onPort(createSandbox(withDefaults(options))),
} as const;

export const doorNames = ['in process', 'on a port'] as const;

function withDefaults(options: SandboxOptions): SandboxOptions {
  return { clock: 'manual', volatility: 0, ...options };
}
