// `npm run sbom`: the bill of materials, to sbom.json, to be attached to a release.
import { writeFile } from 'node:fs/promises';
import { makeBill } from './bill.js';

await writeFile(new URL('../../sbom.json', import.meta.url), await makeBill());
