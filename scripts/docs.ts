// `npm run docs`: writes what is generated from the definitions of the endpoints, and from the contract tests.
import { conformancePage } from './docs/conformance.js';
import { write, writeGenerated } from './docs/write.js';

await writeGenerated();
write(await conformancePage());
