// Every channel by script, through both doors: the scripts are written from the published facts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { doorNames, doors } from './doors.js';
import { play, readScript } from './script.js';

const names = readdirSync(join(import.meta.dirname, 'scripts'));

describe.each(doorNames)('the real-time interface %s follows the script', (door) => {
  it.each(names)('%s', async (name) => {
    const script = readScript(name);
    await play(await doors[door](script.options), script);
  });
});
