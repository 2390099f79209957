// `npm run reference`: the API reference, to docs/reference.
import { resolve } from 'node:path';
import { makeReference } from './reference.js';

const warnings = await makeReference(resolve(import.meta.dirname, '../../docs/reference'));
for (const warning of warnings) console.error(warning);
if (warnings.length > 0) process.exitCode = 1;
