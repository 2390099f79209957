// The workflows of CI and of releases: whose code they run, and with which rights.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const textOf = (name: string) => readFileSync(resolve(root, `.github/workflows/${name}.yml`), 'utf8');
const release = textOf('release');

/** The texts of the jobs of a workflow, by name. */
function jobsOf(workflow: string): Readonly<Record<string, string>> {
  const [, jobs = ''] = workflow.split(/^jobs:\n/m);
  const parts = jobs.split(/^ {2}(\w+):\n/m).slice(1);
  return Object.fromEntries(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? ''] as const] : [])),
  );
}

const lines = (text: string, expected: RegExp) => [...text.matchAll(expected)].map(([, found = '']) => found);
const actionsOf = (text: string) => lines(text, /uses: *([^@\s]+)/g);

describe('a workflow', () => {
  it.each(['ci', 'release'])('runs actions by their digest only, with the version beside it: %s', (name) => {
    const uses = lines(textOf(name), /uses: *(.*)$/gm);
    expect(uses).not.toEqual([]);
    for (const action of uses) expect(action).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('runs the same version of an action in each job', () => {
    const uses = new Set(lines(textOf('ci') + release, /uses: *(.*)$/gm));
    expect(new Set([...uses].map((action) => action.split('@')[0])).size).toBe(uses.size);
  });

  it.each(['ci', 'release'])('may only read, unless a job says otherwise: %s', (name) => {
    const [head = ''] = textOf(name).split(/^jobs:\n/m);
    expect(lines(head, /^permissions:\n((?: .*\n)*)/gm)).toEqual(['  contents: read\n']);
  });

  it.each(['ci', 'release'])('leaves no credentials in a checkout: %s', (name) => {
    const text = textOf(name);
    const checkouts = actionsOf(text).filter((action) => action === 'actions/checkout');
    expect(lines(text, /(persist-credentials: false)/g)).toHaveLength(checkouts.length);
  });
});

describe('a release', () => {
  const { publish = '', release: create = '', ...others } = jobsOf(release);

  it('is tested, packed, published and created by a job each', () => {
    expect(Object.keys(jobsOf(release))).toEqual(['tests', 'pack', 'publish', 'release']);
    expect(publish).toContain('needs: pack');
    expect(publish).toContain('environment: npm');
  });

  it('gives rights to the two jobs that run no code of the repository', () => {
    expect(lines(publish, /^ +([\w-]+: write)$/gm)).toEqual(['id-token: write']);
    expect(lines(create, /^ +([\w-]+: write)$/gm)).toEqual(['contents: write']);
    for (const job of Object.values(others)) expect(job).not.toMatch(/permissions|: write|secrets|github\.token/);
  });

  it('publishes the tarball of the job without rights, and installs and builds nothing before', () => {
    expect(actionsOf(publish)).toEqual(['actions/setup-node', 'actions/download-artifact']);
    expect(lines(publish, /run: *(.*)$/gm)).toEqual([
      'npm publish ./exchange-rx-*.tgz --ignore-scripts --provenance --access public',
    ]);
    expect(actionsOf(create)).toEqual(['actions/download-artifact']);
    expect(create).not.toMatch(/\bnpm |\bnode |\.ci\/run/);
  });
});
