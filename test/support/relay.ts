// A TCP relay on a free port of loopback: what connects to it reaches one server now, and another after a failover.
import { connect, createServer } from 'node:net';
import { opened } from './ports.js';

export async function startRelay(target: number) {
  let targetPort = target;
  const server = createServer((incoming) => {
    const outgoing = connect(targetPort, '127.0.0.1').on('error', () => undefined);
    outgoing.on('close', () => incoming.destroy());
    incoming.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing).pipe(incoming);
  });
  const { port, cut, close } = await opened(server);
  return {
    port,
    /** New connections go to this port from now on; those that exist are cut. */
    switchTo(next: number) {
      targetPort = next;
      cut();
    },
    close,
  };
}
