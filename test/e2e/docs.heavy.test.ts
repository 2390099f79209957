// Every TypeScript block of the documents and docstrings compiles, as it would for a user, and every link leads somewhere.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../../scripts/docs/anchor.js';
import { blocksOf, documents, programs, root, textOf } from '../support/documents.js';
import { nameOf } from '../support/run-blocks.js';

describe('the code blocks of the documents', () => {
  const blocks = programs();

  it('are found in the README and in docs', () => {
    expect(blocks.length).toBeGreaterThan(20);
    expect(new Set(blocks.map(({ file }) => dirname(file)))).toContain('docs');
  });

  it('compile in strict mode', () => {
    const folder = join(root, 'build/blocks');
    mkdirSync(folder, { recursive: true });
    for (const block of blocks) writeFileSync(join(folder, `${nameOf(block)}.ts`), `${block.code}\nexport {};\n`);
    const options = { compilerOptions: { noUnusedLocals: false, rootDir: '../..' }, include: ['.'], exclude: [] };
    const config = { extends: '../../test/tsconfig.json', ...options };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync(process.execPath, ['node_modules/typescript-7/bin/tsc', '-p', folder], {
      cwd: root,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(stdout).toBe('');
  });

  it('have a language that a test checks, and stand where the tests find them', () => {
    expect(documents.filter((file) => /^ +```/m.test(textOf(file)))).toEqual([]);
    const all = documents.flatMap(blocksOf);
    expect(new Set(all.map(({ language }) => language))).toEqual(new Set(['ts', 'sh', 'sql', 'json', 'text']));
    for (const { language, code } of all) if (language === 'json') JSON.parse(code);
  });
});

const headingsOf = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe('the links of the documents', () => {
  const links = documents.flatMap((file) =>
    [...textOf(file).matchAll(/\]\((?<link>[^)\s]+)\)/g)].map(({ groups = {} }) => ({
      file,
      link: groups['link'] ?? '',
    })),
  );

  it('lead to files and headings that are there', () => {
    const broken = links.filter(({ file, link }) => {
      if (link.startsWith('https:')) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      return !existsSync(join(root, target)) || (anchor !== undefined && !headingsOf(textOf(target)).includes(anchor));
    });
    expect(links.length).toBeGreaterThan(50);
    expect(broken).toEqual([]);
  });

  it('lead to every document', () => {
    const linked = new Set(links.map(({ file, link }) => join(dirname(file), link.split('#')[0] ?? '')));
    expect(documents.filter((file) => file !== 'README.md' && !linked.has(file))).toEqual([]);
  });
});
