// `exchange-rx ping`: does the exchange answer, and how fast?
import { Command } from 'commander';
import { map, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import { watchHealth, type Health } from '../../streams/index.js';
import { everyOption } from '../arguments.js';
import { formatMs, type Report } from '../report.js';
import { text, type Colors, type Text } from '../text.js';
import type { Runner } from '../verb.js';

export function pingCommand({ run }: Runner): Command {
  return new Command('ping')
    .description('ask the exchange whether it is there')
    .option('-w, --watch', 'go on until Ctrl-C, and tell its health after each ping')
    .addOption(everyOption(1000))
    .addHelpText(
      'after',
      '\nExamples:\n  $ exchange-rx ping --sandbox\n  $ exchange-rx ping --watch --every 5 --json | jq .state',
    )
    .action(({ watch, every }: { watch?: boolean; every: number }, command: Command) =>
      run(command, ({ exchange, terminal }) =>
        watch === true ? watchPings(exchange, every, terminal.colors) : pingOnce(exchange),
      ),
    );
}

function pingOnce(exchange: Exchange): Observable<Report> {
  let latencyMs = 0;
  const pong$ = exchange.public.ping({
    retry: false,
    onEvent: (event) => {
      if (event.type === 'response') latencyMs = event.durationMs;
    },
  });
  return pong$.pipe(map(() => ({ text: text`pong in ${formatMs(latencyMs)}`, data: { ok: true, latencyMs } })));
}

function watchPings(exchange: Exchange, everyMs: number, colors: Colors): Observable<Report> {
  return watchHealth(exchange, { everyMs }).pipe(map((health) => ({ text: healthText(health, colors), data: health })));
}

/** The health in one line, and why the last ping failed. */
export function healthText(health: Health, colors: Colors): Text {
  const failure = health.error === undefined ? '' : text`, ${health.error.message}`;
  return text`${stateText(health, colors)}${failure}`;
}

/** The health in one short line. */
export function stateText({ state, reason, latency, successRatio }: Health, colors: Colors): Text {
  const paint = { up: colors.green, degraded: colors.yellow, down: colors.red }[state];
  const why = reason === undefined ? '' : text` (${reason})`;
  const times = text`last ${formatMs(latency.lastMs)}, p50 ${formatMs(latency.p50Ms)}, p99 ${formatMs(latency.p99Ms)}`;
  return text`${paint(state)}${why}  ${times}, answered ${(successRatio * 100).toFixed(0)} %`;
}
