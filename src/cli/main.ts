#!/usr/bin/env node
// The command `exchange-rx`: runs a verb, says what went wrong if something did, and ends with an exit code that
// scripts can use.
import { CommanderError } from 'commander';
import { exitCodeOf, exitCodes, Interrupted, type ExitCode } from './exit-codes.js';
import { createProgram } from './program.js';
import { describe, processTerminal } from './terminal.js';
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

process.exitCode = await main();
