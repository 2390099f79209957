#!/usr/bin/env node
// The executable `exchange-rx`.
import { run } from './program.js';

process.exitCode = await run(process.argv.slice(2), process);
