// The public API is written down in test/api, and changes on purpose only.
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderOfTests } from '../support/folders.js';
import { entryPoints } from '../support/packed.js';

const root = resolve(import.meta.dirname, '../..');
const recorded = join(root, 'test/api');
const drawn = folderOfTests();
const howToRecord =
  'The public API is not the one that is written down. If that is the purpose: npm run api:record, and look at what it changed in test/api.';

/**
 * Those who begin a world of their own are reported with all they lead to; the others lead to what the report of
 * `exchange-rx` has.
 */
const whole = ['exchange-rx', 'redis'];

function typesOf(entryPoint: string): string {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string }>;
  };
  const { types = '' } = exports[entryPoint.replace('exchange-rx', '.')] ?? {};
  // Those of each module: the ones that are published are put into a few files.
  return join(root, types.replace('dist', 'build/types'));
}

function configOf(entryPoint: string): ExtractorConfig {
  const name = basename(entryPoint);
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: typesOf(entryPoint),
      newlineKind: 'lf',
      compiler: { tsconfigFilePath: join(root, 'tsconfig.json') },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: drawn,
        reportTempFolder: join(drawn, 'temp'),
        includeForgottenExports: whole.includes(name),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      messages: {
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  });
}

describe('the public API', () => {
  let compilerState: CompilerState;

  beforeAll(() => {
    compilerState = CompilerState.create(configOf('exchange-rx'), { additionalEntryPoints: entryPoints.map(typesOf) });
  });

  it.each(entryPoints)('of %s is the one that is written down', (entryPoint) => {
    const { succeeded } = Extractor.invoke(configOf(entryPoint), {
      localBuild: true,
      compilerState,
      messageCallback: (message) => {
        message.handled = true;
      },
    });
    expect(succeeded).toBe(true);
    const file = `${basename(entryPoint)}.api.md`;
    const report = readFileSync(join(drawn, file), 'utf8');
    if (process.env['RECORD'] === 'true') writeFileSync(join(recorded, file), report);
    expect(report, howToRecord).toBe(readFileSync(join(recorded, file), 'utf8'));
  });
});
