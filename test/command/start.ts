// How the tests of the command start it: in process, or as the built command where `npm run coverage` measures programs.
import { programCoverage, runCommand, startCommand } from '../support/command.js';
import { runInProcess, startInProcess } from '../support/command-in-process.js';

const isMeasured = programCoverage !== undefined;

export const start: typeof startCommand = isMeasured
  ? startCommand
  : (args, environment) => startInProcess(args, environment);
export const run = isMeasured ? runCommand : runInProcess;
