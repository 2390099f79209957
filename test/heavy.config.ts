import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { base, coverage, heavy, heavyBranches, isCounting } from './vitest.config.js';

/** They take half a minute and little of the machine, which the other soak tests want for themselves. */
const liveSoaks = 'test/soak/live-*.soak.ts';

/** Whether the tests that count branches run by themselves. */
const isRest = process.env['BESIDE_COVERAGE'] === 'true';

/** About a minute or more each. */
const long = /dashboard|secrets|matrix|docs-run|processes|process\.|examples|new-files|market-maker|package/;

/** Long files first: at the end, the others would wait for one of them. */
class LongFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return Promise.resolve([...files.filter(isLong), ...files.filter((file) => !isLong(file))]);
  }
}

// The tests that take minutes, which `npm test` leaves out: `npm run check`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: isCounting ? heavyBranches : [...heavy, liveSoaks],
    exclude: [...configDefaults.exclude, ...(isRest ? heavyBranches : [])],
    testTimeout: 120_000,
    sequence: { sequencer: LongFirst, shuffle: { tests: true } },
    coverage: coverage('heavy'),
  },
});
