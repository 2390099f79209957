// A page for each program of docs/examples.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../documents.js';

const folder = join(root, 'docs/examples');

export default {
  paths: () =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({
        params: { program: basename(file, '.ts') },
        content: `# ${file}\n\n\`\`\`ts\n${readFileSync(join(folder, file), 'utf8')}\`\`\`\n`,
      })),
};
