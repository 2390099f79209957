#!/usr/bin/env node
// The command `exchange-rx`: runs a verb, says what went wrong if something did, and ends with an exit code that scripts can use.
import { CommanderError } from 'commander';
import { isExchangeError, isUndecided } from '../errors.js';
import { exitCodeOf, exitCodes, Interrupted, type ExitCode } from './exit-codes.js';
import { createProgram } from './program.js';
import { processTerminal } from './terminal.js';
import { createRunner } from './verb.js';

async function main(): Promise<ExitCode> {
  const terminal = processTerminal();
  try {
    await createProgram(createRunner(terminal, process.env)).parseAsync();
    return exitCodes.done;
  } catch (error) {
    // Commander has said what was wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (!(error instanceof Interrupted)) terminal.say(terminal.colors.red(describe(error)));
    return exitCodeOf(error);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!isExchangeError(error) || error.client_order_id === undefined || error.outcome === 'none') return error.message;
  const fate = isUndecided(error) ? 'whether it was placed is not known' : 'it was not placed';
  return `${error.message}\nOrder ${error.client_order_id}: ${fate}.`;
}

process.exitCode = await main();
