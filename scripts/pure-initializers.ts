// Bundlers drop the statements of a module that a program does not use, if they see that a statement has no side
// effects. They do not see it for the definition of an endpoint, which calls functions and reads properties. No module
// of this package has side effects, so each initializer and each class is marked: as a pure call without arguments.
import { MagicString } from 'magic-string';
import type { Plugin } from 'rolldown';
import ts from 'typescript';

/** Marks the modules in this folder. */
export function pureInitializers(folder: string): Plugin {
  return {
    name: 'pure-initializers',
    transform: (code, id) => (id.startsWith(folder) ? withPureInitializers(code, id) : undefined),
  };
}

function withPureInitializers(code: string, id: string) {
  const edited = new MagicString(code);
  const source = ts.createSourceFile(id, code, ts.ScriptTarget.Latest, false);
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { initializer } of statement.declarationList.declarations) {
      if (initializer === undefined || !hasWork(initializer)) continue;
      edited.appendLeft(initializer.getStart(source), '/* @__PURE__ */ (() => (');
      edited.appendRight(initializer.end, '))()');
    }
  }
  return { code: edited.toString(), map: edited.generateMap({ source: id, includeContent: true, hires: 'boundary' }) };
}

/** Whether a bundler could take it for a side effect. A top-level `await` has one. */
function hasWork(initializer: ts.Expression): boolean {
  return !(
    ts.isLiteralExpression(initializer) ||
    ts.isIdentifier(initializer) ||
    ts.isArrowFunction(initializer) ||
    ts.isFunctionExpression(initializer) ||
    ts.isAwaitExpression(initializer)
  );
}
