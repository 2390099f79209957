// `exchange-rx record`: market data to files, until Ctrl-C.
import { Command, Option } from 'commander';
import { concatWith, connect, defer, EMPTY, map, merge, takeLast, tap, throttleTime, throwError } from 'rxjs';
import { record, recordedChannels, type RecordedChannel, type RecordingProgress } from '../../recording/index.js';
import { Interrupted } from '../exit-codes.js';
import { oneOf } from '../option-parsers.js';
import type { Runner } from '../runner.js';
import { text, type Colors, type Output, type SafeText } from '../terminal/index.js';

interface RecordFlags {
  readonly to: string;
  readonly channel?: readonly RecordedChannel[];
  readonly fsync?: boolean;
}

/** Without a terminal, a log gets a line in this time. */
const printEveryMs = 10_000;

const help = `
A recording in the folder is continued. Ctrl-C writes the rest and ends it.

Examples:
  $ exchange-rx record BTC_USDT ETH_USDT --to recordings
  $ exchange-rx record BTC_USDT --to recordings --channel orderBook trades
  $ zcat recordings/*.gz | jq -r 'select(.k == "frame").d'`;

export function recordCommand({ runToCompletion }: Runner): Command {
  return new Command('record')
    .description('record live market data in a folder until Ctrl-C')
    .argument('<markets...>', 'the markets, such as BTC_USDT')
    .requiredOption('--to <folder>', 'the folder, which is made if it is missing')
    .addOption(channelOption())
    .option('--fsync', 'write each second through to the disk, for the case that the power fails')
    .option('--live-url <url>', 'address of the live connection, such as wss://exchange.example/ws')
    .addHelpText('after', help)
    .action((markets: string[], { to, channel, fsync = false }: RecordFlags, command: Command) =>
      runToCompletion(command, ({ exchange, terminal, json }) => {
        let isInterrupted = false;
        const interrupts$ = terminal.interrupts$.pipe(
          tap(() => {
            isInterrupted = true;
          }),
        );
        const channels = channel === undefined ? {} : { channels: channel };
        const until = merge(interrupts$, terminal.pipeClosed$);
        const progress$ = record(exchange, { markets, to, fsync, until, ...channels });
        const outputs$ =
          terminal.canRedraw && !json
            ? terminal.drawEach(progress$.pipe(map((progress) => progressLine(progress, terminal.colors))))
            : progress$.pipe(
                connect((each$) => merge(each$.pipe(throttleTime(printEveryMs)), each$.pipe(takeLast(1)))),
                map((progress): Output => ({ text: progressLine(progress, terminal.colors), data: progress })),
              );
        return outputs$.pipe(concatWith(defer(() => (isInterrupted ? throwError(() => new Interrupted()) : EMPTY))));
      }),
    );
}

function channelOption(): Option {
  const parse = oneOf(recordedChannels);
  return new Option(
    '--channel <names...>',
    `channels: ${recordedChannels.join(', ')}; by default the first five`,
  ).argParser<readonly RecordedChannel[] | undefined>((name, before) => [...(before ?? []), parse(name)]);
}

function progressLine({ frames, lines, bytes, gaps }: RecordingProgress, colors: Colors): SafeText {
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  const gapCount = gaps === 0 ? text`0 gaps` : colors.yellow(text`${String(gaps)} gaps`);
  return text`${String(frames)} frames, ${String(lines)} lines, ${size}, ${gapCount}`;
}
