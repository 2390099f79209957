// Parsers of arguments and options, and the options that several verbs share.
import { InvalidArgumentError, Option } from 'commander';
import { maxTimerMs } from '../errors/index.js';

function parseSeconds(value: string): number {
  const ms = Number(value) * 1000;
  if (ms > 0 && ms <= maxTimerMs) return ms;
  throw new InvalidArgumentError(`Must be a number of seconds above 0, at most ${Math.floor(maxTimerMs / 1000)}.`);
}

export function integerBetween(min: number, max: number): (value: string) => number {
  return (value) => {
    const parsed = Number(value);
    if (Number.isInteger(parsed) && parsed >= min && parsed <= max) return parsed;
    throw new InvalidArgumentError(`Must be an integer from ${min} to ${max}.`);
  };
}

function parseTime(value: string): number {
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.floor(Date.parse(value) / 1000);
  if (Number.isSafeInteger(seconds) && seconds >= 0) return seconds;
  throw new InvalidArgumentError('Must be a time, such as 2026-11-28, 2026-11-28T08:00:00Z or Unix seconds.');
}

export function sinceOption(): Option {
  return new Option('--since <time>', 'only from this time on, such as 2026-11-28 or Unix seconds').argParser(
    parseTime,
  );
}

export function maxOption(defaultMax = 100): Option {
  return new Option('--max <count>', 'maximum number of lines')
    .argParser(integerBetween(1, 1_000_000))
    .default(defaultMax);
}

export function oneOf<const Value extends string | number>(values: readonly Value[]): (value: string) => Value {
  return (value) => {
    const found = values.find((one) => String(one) === value);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`Must be one of ${values.join(', ')}.`);
  };
}

export function parseOrigins(value: string, previous: readonly string[] = []): readonly string[] {
  if (URL.canParse(value) && new URL(value).origin === value) return [...previous, value];
  throw new InvalidArgumentError('Must be an origin, such as http://localhost:5173.');
}

export function intervalOption(defaultMs: number): Option {
  return new Option('--interval <seconds>', 'time between two polls')
    .argParser(parseSeconds)
    .default(defaultMs, String(defaultMs / 1000));
}

export function portOption(): Option {
  return new Option('--port <number>', 'port of 127.0.0.1 to listen on; 0 for a free port').argParser(
    integerBetween(0, 65_535),
  );
}
