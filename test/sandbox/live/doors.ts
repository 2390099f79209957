// The two doors of the real-time interface, with one client for both: frames in order of arrival, and how it ended.
import {
  createSandbox,
  type Sandbox,
  type SandboxMarketOptions,
  type SandboxOptions,
  type SandboxWebSocket,
} from 'exchange-rx/sandbox';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** What arrived: a response, or a push with its method. */
export interface Frame {
  readonly id?: number | null;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number } | null;
  readonly params: readonly unknown[];
}

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
  readonly rest: () => Promise<Frame[]>;
  /** Sends a request, and takes all frames. */
  readonly request: (method: string, params: readonly unknown[]) => Promise<Frame[]>;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<Ending>;
  readonly close: () => void;
}

export interface World {
  readonly sandbox: Sandbox;
  /** Opens a connection. */
  readonly connect: () => Promise<Client>;
}

const maxWaits = 600;

/** A text that is no JSON stays as it is. */
function readable(data: unknown): Frame {
  try {
    return JSON.parse(String(data)) as Frame;
  } catch {
    return data as Frame;
  }
}

/** Connects; `arrival` resolves when everything that was sent has arrived. */
function clientOf<Socket extends SandboxWebSocket>(
  socket: Socket,
  arrival: (socket: Socket, ended: Promise<Ending>) => Promise<unknown>,
): Promise<Client> {
  const frames: Frame[] = [];
  const ended = new Promise<Ending>((resolve) => {
    socket.addEventListener('close', ({ code = 0, reason = '' }) => {
      resolve({ code, reason });
    });
  });
  socket.addEventListener('message', ({ data }) => frames.push(readable(data)));
  const client: Client = {
    send: (message) => {
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    },
    async next() {
      for (let waits = 0; frames.length === 0; waits += 1) {
        if (waits === maxWaits) throw new Error('no frame arrived');
        await delay(waits < 20 ? 0 : 5);
      }
      return frames.shift();
    },
    async rest() {
      await arrival(socket, ended);
      return frames.splice(0);
    },
    request(method, params) {
      client.send({ id: 1, method, params });
      return client.rest();
    },
    ended,
    close: () => {
      socket.close();
    },
  };
  return new Promise((resolve, reject) => {
    socket.addEventListener('error', () => {
      reject(new Error('the connection failed'));
    });
    socket.addEventListener('open', () => {
      resolve(client);
    });
  });
}

function inProcess(sandbox: Sandbox): World {
  return {
    sandbox,
    // The sandbox delivers in microtasks.
    connect: () => clientOf(new sandbox.WebSocket('wss://exchange.sandbox.test/ws'), () => delay(0)),
  };
}

async function onPort(sandbox: Sandbox): Promise<World> {
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  return { sandbox, connect: () => clientOf(new WebSocket(`ws://127.0.0.1:${server.port}/ws`), arrivalAt) };
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

/** Two markets with few levels. */
export const thinMarkets: readonly SandboxMarketOptions[] = [
  { name: 'BTC_USDT', price: '60000', minAmount: '0.0001', depth: { levels: 3, step: 0.001, size: '0.5' } },
  { name: 'ETH_USDT', price: '3000', minAmount: '0.001', depth: { levels: 3, step: 0.001, size: '2' } },
];

export const doorNames = ['in process', 'on a port'] as const;

function withDefaults(options: SandboxOptions): SandboxOptions {
  return { clock: 'manual', volatility: 0, ...options };
}
