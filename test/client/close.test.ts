// What `close()` and `await using` end: the connections of a client, the ports of a sandbox.
import { createServer } from 'node:http';
import { createExchange, undiciTransport } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/failure.js';
import { portOf } from '../support/raw-server.js';

/** A server that responds to pings, and the number of its connections. */
async function serving() {
  const server = createServer((_, response) => response.end('["pong"]'));
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => (connections -= 1));
  });
  return { baseUrl: `http://127.0.0.1:${await portOf(server)}`, connections: () => connections };
}

describe('a client that is closed', () => {
  it('has no connections, and sends no requests', async () => {
    const { baseUrl, connections } = await serving();
    const exchange = createExchange({ baseUrl, retry: false });
    await firstValueFrom(exchange.public.ping());
    expect(connections()).toBe(1);
    await exchange[Symbol.asyncDispose]();
    await expect.poll(connections).toBe(0);
    expect(await failureOf(exchange.public.ping())).toMatchObject({
      message: 'public.ping: exchange is closed',
      outcome: 'not-executed',
    });
    await exchange.close();
  });

  it('leaves a transport of its user open', async () => {
    const { baseUrl } = await serving();
    const transport = undiciTransport();
    await createExchange({ baseUrl, transport }).close();
    const exchange = createExchange({ baseUrl, transport });
    expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
    await transport.close?.();
  });
});

describe('a sandbox that is closed', () => {
  it('serves on no port, and responds in process', async () => {
    const sandbox = createSandbox();
    const servers = [await sandbox.listen(), await sandbox.listen()];
    await sandbox[Symbol.asyncDispose]();
    await servers[0]?.close();
    for (const server of servers)
      expect(await failureOf(createExchange({ ...server.clientOptions(), retry: false }).public.ping())).toMatchObject({
        message: expect.stringContaining('ECONNREFUSED') as string,
      });
    expect(await firstValueFrom(createExchange(sandbox.clientOptions()).public.ping())).toEqual(['pong']);
  });
});
