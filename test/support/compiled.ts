// Sources that are in no file, compiled as a user would compile them.
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './documents.js';

/** A program of these texts, by the path that each would have. */
export function compiled(texts: ReadonlyMap<string, string>): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'test/tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'test'));
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    readFile: (path) => texts.get(path) ?? disk.readFile(path),
    getSourceFile: (path, version, ...rest) => {
      const text = texts.get(path);
      return text === undefined ? disk.getSourceFile(path, version, ...rest) : ts.createSourceFile(path, text, version);
    },
  };
  return ts.createProgram([...texts.keys()], { ...options, noUnusedLocals: false }, host);
}
