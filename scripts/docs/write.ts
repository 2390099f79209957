// Writes what is generated from the definitions of the endpoints and kept: indexes and tables of docs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { indexes, root } from './groups.js';

export function write(files: ReadonlyMap<string, string>): void {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

export async function writeGenerated(): Promise<void> {
  // The modules of the groups are loaded once their indexes are written.
  write(indexes());
  const { generatedDocs } = await import('./generated.js');
  write(generatedDocs());
}
