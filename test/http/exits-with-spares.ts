// A program that has spare connections, sends one request, and has nothing more to do: it ends.
import { createExchange, undiciTransport } from '../../src/index.js';

const [, , baseUrl = ''] = process.argv;
const exchange = createExchange({ baseUrl, transport: undiciTransport({ keepWarm: 3 }) });
exchange.public.ping().subscribe(() => {
  const sentAt = performance.now();
  // By then the spare connections are open.
  setTimeout(() => undefined, 200);
  process.on('exit', () => {
    process.stdout.write(String(Math.round(performance.now() - sentAt)));
  });
});
