// Writes docs/reference, the pages of the package that are built and not kept.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { referenceFolder, referencePages } from './docs/generated.js';
import { root } from './docs/groups.js';
import { write } from './docs/write.js';

rmSync(join(root, referenceFolder), { recursive: true, force: true });
write(referencePages());
