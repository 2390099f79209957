// `npm run docs`: writes everything that is generated from the definitions of the endpoints.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { conformancePage } from './docs/conformance.js';
import { indexes, root } from './docs/groups.js';

const write = (files: ReadonlyMap<string, string>) => {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
};

// The modules of the groups are loaded once their indexes are written.
write(indexes());
const { generatedDocs, generatedSources, referenceFolder } = await import('./docs/generated.js');
write(await generatedSources());
rmSync(join(root, referenceFolder), { recursive: true, force: true });
write(generatedDocs());
write(await conformancePage());
