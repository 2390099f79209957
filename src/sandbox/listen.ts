// The sandbox on a real socket, on loopback only.
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createServer, ServerResponse, type RequestListener } from 'node:http';
import { ConnectionFault, CutShort } from './http/faults.js';
import { inTurns } from './turns.js';

/** A port that the sandbox serves. */
export interface Listening {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Stops serving and closes every connection. */
  close(): Promise<void>;
}

/** As a gateway does: a client that pauses for a window keeps its connections. */
const keepAliveTimeout = 75_000;
/** A burst opens hundreds of connections at once; one that finds no place would be tried again a second later. */
const backlog = 4096;

/** Serves a fetch handler on a port of 127.0.0.1; 0 takes a free one. */
export async function listenOn(fetch: (request: Request) => Promise<Response>, port: number): Promise<Listening> {
  // The platform's Request and Response stay the platform's: other code of the process uses them too.
  const listener = getRequestListener(
    async (request, { outgoing }) => {
      try {
        const response = await fetch(request);
        return response instanceof CutShort && outgoing instanceof ServerResponse ? cut(response, outgoing) : response;
      } catch (error) {
        if (!(error instanceof ConnectionFault)) throw error;
        outgoing.destroy();
        return RESPONSE_ALREADY_SENT;
      }
    },
    { overrideGlobalObjects: false },
  );
  const inTurn = inTurns();
  const handle: RequestListener = (incoming, outgoing) => {
    inTurn(() => {
      if (!server.listening) return;
      listener(incoming, outgoing).catch((error: unknown) => {
        outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  };
  const server = createServer({ keepAliveTimeout }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sandbox could not open a port');

  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
        server.closeAllConnections();
      }),
  };
}

/** Nothing but a broken connection tells the client that there was more. */
function cut({ status, headers, half, wholeLength }: CutShort, outgoing: ServerResponse): Response {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers);
  outgoing.setHeader('content-length', wholeLength);
  outgoing.write(half, () => {
    outgoing.destroy();
  });
  return RESPONSE_ALREADY_SENT;
}
