// A web page with live balances: the server sends each update as a server-sent event, and all pages share one poll.
import { createExchange, watchBalance } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { createServer } from 'node:http';

const port = Number(process.env['PORT'] ?? 4281);
const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const balance$ = watchBalance(exchange, { everyMs: 2000 });
setInterval(() => sandbox.account().deposit('BTC', '0.25', 'main'), 1000); // for the demonstration

const page = `<!doctype html>
<title>Balances</title>
<pre id="balances">…</pre>
<script>
  new EventSource('/balances').onmessage = ({ data }) => {
    const { stale, balance } = JSON.parse(data);
    const lines = Object.entries(balance).map(([asset, { main_balance }]) => asset + ' ' + main_balance);
    document.getElementById('balances').textContent = (stale ? 'stale\\n' : '') + lines.join('\\n');
  };
</script>`;

// Reachable from this machine only: add authentication before you listen on another address.
createServer((request, response) => {
  if (request.url !== '/balances') {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const subscription = balance$.subscribe({
    next: ({ balance, stale }) => response.write(`data: ${JSON.stringify({ balance, stale })}\n\n`),
    error: () => response.end(), // the browser reconnects
  });
  response.on('close', () => subscription.unsubscribe()); // the last page to close stops the polls
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
