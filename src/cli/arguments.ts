// Arguments that are numbers, and how the options of several verbs are put.
import { InvalidArgumentError, Option } from 'commander';
import { maxTimerMs } from '../errors/index.js';

/** Reads a duration in seconds as milliseconds. */
export function seconds(text: string): number {
  const ms = Number(text) * 1000;
  if (ms > 0 && ms <= maxTimerMs) return ms;
  throw new InvalidArgumentError('It must be a number of seconds above 0.');
}

/** Reads an integer within bounds. */
export function integer(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= from && value <= to) return value;
    throw new InvalidArgumentError(`It must be an integer from ${from} to ${to}.`);
  };
}

/** `--every <seconds>`, of verbs that watch; given in milliseconds. */
export function everyOption(defaultMs: number): Option {
  return new Option('--every <seconds>', 'the pause between two looks')
    .argParser(seconds)
    .default(defaultMs, String(defaultMs / 1000));
}

/** `--port <number>`, of verbs that serve. */
export function portOption(): Option {
  return new Option('--port <number>', 'the port of 127.0.0.1 to serve on; 0 for a free one').argParser(
    integer(0, 65_535),
  );
}

/** Reads an origin of web pages, and adds it to those before it. */
export function origins(text: string, earlier: readonly string[] = []): readonly string[] {
  if (URL.canParse(text) && new URL(text).origin === text) return [...earlier, text];
  throw new InvalidArgumentError('It must be an origin as browsers write it, such as http://localhost:5173.');
}

/** Reads one of these values. */
export function oneOf<const Value extends string | number>(values: readonly Value[]): (text: string) => Value {
  return (text) => {
    const value = values.find((one) => String(one) === text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  };
}
