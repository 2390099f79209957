// `exchange-rx ping`: whether the exchange responds, and how fast.
import { Command } from 'commander';
import { map, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import { watchHealth, type Health } from '../../streams/index.js';
import { intervalOption } from '../option-parsers.js';
import type { Runner } from '../runner.js';
import { formatMs, text, type Colors, type Output, type SafeText } from '../terminal/index.js';

const examples = `
Examples:
  $ exchange-rx ping --sandbox
  $ exchange-rx ping --watch --interval 5 --json | jq .state`;

export function pingCommand({ run }: Runner): Command {
  return new Command('ping')
    .description('check that the exchange responds')
    .option('-w, --watch', 'ping until Ctrl-C and print the health after each ping')
    .addOption(intervalOption(1000))
    .addHelpText('after', examples)
    .action(({ watch, interval }: { watch?: boolean; interval: number }, command: Command) =>
      run(command, ({ exchange, terminal }) =>
        watch === true ? watchPings(exchange, interval, terminal.colors) : pingOnce(exchange),
      ),
    );
}

function pingOnce(exchange: Exchange): Observable<Output> {
  let latencyMs = 0;
  const pong$ = exchange.public.ping({
    retry: false,
    onEvent: (event) => {
      if (event.type === 'response') latencyMs = event.durationMs;
    },
  });
  return pong$.pipe(map(() => ({ text: text`pong in ${formatMs(latencyMs)}`, data: { ok: true, latencyMs } })));
}

function watchPings(exchange: Exchange, everyMs: number, colors: Colors): Observable<Output> {
  return watchHealth(exchange, { everyMs }).pipe(map((health) => ({ text: healthLine(health, colors), data: health })));
}

export function healthLine(health: Health, colors: Colors): SafeText {
  const failure = health.error === undefined ? '' : text`, ${health.error.message}`;
  return text`${healthState(health, colors)}, ${latencies(health)}${failure}`;
}

export function healthState({ state, reason, successRatio }: Health, colors: Colors): SafeText {
  const paint = { up: colors.green, degraded: colors.yellow, down: colors.red }[state];
  const why = reason === undefined ? '' : text` (${reason})`;
  return text`${paint(state)}${why}, success ${(successRatio * 100).toFixed(0)} %`;
}

export function latencies({ latency }: Health): SafeText {
  return text`last ${formatMs(latency.lastMs)}, p50 ${formatMs(latency.p50Ms)}, p99 ${formatMs(latency.p99Ms)}`;
}
