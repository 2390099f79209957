// A server that does not respond, not even to a handshake, until it is opened: its thread stands still, and its queue
// of connections is full.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Linux drops what does not fit into the queue; other systems need not. */
export const canBeBlackHole = process.platform === 'linux';

export type BlackHole = Awaited<ReturnType<typeof openBlackHole>>;

const program = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((request, response) => {
    parentPort.postMessage(request.url);
    response.end('["pong"]');
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(workerData, 0, 0);
  });
`;
/** A connection that was not made by then will not be made. */
const madeAtOnceMs = 300;

export async function openBlackHole() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(program, { eval: true, workerData: gate });
  const port = Number((await once(worker, 'message'))[0]);
  const requests: string[] = [];
  worker.on('message', (path: string) => requests.push(path));
  const fillers = await fill(port);
  const open = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    /** The paths of the requests that have arrived. */
    requests,
    /** Lets the connections in that wait. */
    open,
    async close() {
      open();
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}

async function fill(port: number): Promise<Socket[]> {
  const fillers: Socket[] = [];
  for (let isMade = true; isMade;) {
    const filler = connect(port, '127.0.0.1').on('error', () => undefined);
    fillers.push(filler);
    isMade = await Promise.race([once(filler, 'connect').then(() => true), sleep(madeAtOnceMs, false)]);
  }
  return fillers;
}
