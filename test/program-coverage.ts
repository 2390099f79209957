// The branches, functions and lines of the command and its page that the programs took which tests started. Their
// reports are of the bundled scripts; the source maps lead back to src.
import { mergeProcessCovs, type ProcessCov } from '@bcoe/v8-coverage';
import convert from 'ast-v8-to-istanbul';
import istanbul, { type CoverageSummaryData } from 'istanbul-lib-coverage';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const programs = join(root, 'src/cli/');
/** Types only. */
const messages = join(programs, 'dashboard/messages.ts');

/** Reads the reports in this folder. A script that no program loaded counts as not covered. */
export async function programCoverage(folder: string): Promise<CoverageSummaryData> {
  const reports = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ProcessCov);
  const url = pathToFileURL(dist).href;
  const ofDist = reports.map(({ result }) => ({ result: result.filter((script) => script.url.startsWith(url)) }));
  const functionsOf = new Map(mergeProcessCovs(ofDist).result.map((script) => [script.url, script.functions]));
  const coverage = istanbul.createCoverageMap();
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const file = join(dist, path);
    if (!path.endsWith('.js') || !existsSync(`${file}.map`)) continue;
    const code = readFileSync(file, 'utf8');
    const ranges = [{ startOffset: 0, endOffset: code.length, count: 0 }];
    const { href } = pathToFileURL(file);
    const data = await convert({
      code,
      ast: parseAst(code),
      sourceMap: JSON.parse(readFileSync(`${file}.map`, 'utf8')) as NonNullable<
        Parameters<typeof convert>[0]['sourceMap']
      >,
      coverage: {
        url: href,
        functions: functionsOf.get(href) ?? [{ functionName: '', isBlockCoverage: true, ranges }],
      },
    });
    coverage.merge(data);
  }
  coverage.filter((file) => file.startsWith(programs) && file !== messages);
  return coverage.getCoverageSummary().toJSON();
}
