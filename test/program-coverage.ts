// The branches, functions and lines of the command and its page that tests took: in programs that they started, whose
// reports are of the bundled scripts and are led back to src by the source maps, and in the process of the tests.
import { mergeProcessCovs, type ProcessCov } from '@bcoe/v8-coverage';
import convert from 'ast-v8-to-istanbul';
import istanbul, { type CoverageMap, type CoverageSummary, type FileCoverage, type Range } from 'istanbul-lib-coverage';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const root = resolve(import.meta.dirname, '..');
/** The built package; of the page, the script that browsers counted, which is not minified. */
const folders = ['build/counted', 'dist'].map((name) => join(root, name));
const minified = join(root, 'dist/cli/dashboard/page/main.js');
export const commandSources = join(root, 'src/cli/');
/** Types only. */
const messages = join(commandSources, 'dashboard/messages.ts');

/** Reads the reports in this folder, and adds what ran in process. A script that no program loaded counts as not covered. */
export async function programCoverage(folder: string, inProcess: CoverageMap): Promise<CoverageSummary> {
  const reports = readdirSync(folder).flatMap((file) => reportIn(join(folder, file)));
  const urls = folders.map((path) => pathToFileURL(path).href);
  const ofDist = reports.map(({ result }) => ({
    result: result.filter((script) => urls.some((url) => script.url.startsWith(url))),
  }));
  const functionsOf = new Map(mergeProcessCovs(ofDist).result.map((script) => [script.url, script.functions]));
  const coverage = istanbul.createCoverageMap();
  const files = folders.flatMap((built) =>
    readdirSync(built, { recursive: true, encoding: 'utf8' }).map((path) => join(built, path)),
  );
  for (const file of files) {
    if (!file.endsWith('.js') || file === minified || !existsSync(`${file}.map`)) continue;
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
  coverage.filter((file) => file.startsWith(commandSources) && file !== messages);
  const known = new Set(inProcess.files());
  for (const file of coverage.files()) {
    if (known.has(file)) addHits(coverage.fileCoverageFor(file), inProcess.fileCoverageFor(file));
  }
  return coverage.getCoverageSummary();
}

/** None in the file of a program that was killed while it wrote it. */
function reportIn(file: string): ProcessCov[] {
  try {
    return [JSON.parse(readFileSync(file, 'utf8')) as ProcessCov];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    console.log(`${file} is incomplete, and not counted`);
    return [];
  }
}

/**
 * Adds the hits of what begins at the same place in both. The bundler moves some places: what has no counterpart counts
 * as the programs took it, so that nothing counts twice.
 */
function addHits(coverage: FileCoverage, added: FileCoverage): void {
  const branches = new Map(
    Object.entries(added.branchMap).map(([id, { type, loc }]) => [`${type} ${placeOf(loc)}`, added.b[id]]),
  );
  for (const [id, { type, loc }] of Object.entries(coverage.branchMap)) {
    const hits = branches.get(`${type} ${placeOf(loc)}`);
    coverage.b[id] = (coverage.b[id] ?? []).map((count, index) => count + (hits?.[index] ?? 0));
  }
  const functions = new Map(Object.entries(added.fnMap).map(([id, { loc }]) => [placeOf(loc), added.f[id]]));
  for (const [id, { loc }] of Object.entries(coverage.fnMap)) {
    coverage.f[id] = (coverage.f[id] ?? 0) + (functions.get(placeOf(loc)) ?? 0);
  }
  const statements = new Map(Object.entries(added.statementMap).map(([id, range]) => [placeOf(range), added.s[id]]));
  for (const [id, range] of Object.entries(coverage.statementMap)) {
    coverage.s[id] = (coverage.s[id] ?? 0) + (statements.get(placeOf(range)) ?? 0);
  }
}

function placeOf({ start }: Range): string {
  return `${start.line}:${start.column}`;
}
