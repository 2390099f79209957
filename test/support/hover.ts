// What an editor shows of the package: quick info and completions of TypeScript's language service.
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './documents.js';

export interface Hover {
  /** The declaration, such as `(property) market: string`. */
  readonly declaration: string;
  readonly documentation: string;
  /** The names of its tags, such as `see`. */
  readonly tags: readonly string[];
}

/** A file that is open in an editor, below the package's folder, so that it imports the package by its name. */
export class Editor {
  readonly #path = join(root, 'test/open-in-an-editor.ts');
  readonly #text: string;
  readonly #service: ts.LanguageService;

  constructor(text: string) {
    this.#text = text;
    const read = (path: string) => (path === this.#path ? text : ts.sys.readFile(path));
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ['node'],
    };
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => [this.#path],
      getScriptVersion: () => '',
      getScriptSnapshot: (path) => {
        const content = read(path);
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      fileExists: (path) => path === this.#path || ts.sys.fileExists(path),
      readFile: read,
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
    });
  }

  /** Errors of the compiler. */
  errors(): string[] {
    return this.#service
      .getSemanticDiagnostics(this.#path)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  }

  /** What hovering over the last character of this text shows. */
  hover(text: string): Hover {
    const info = this.#service.getQuickInfoAtPosition(this.#path, this.#end(text) - 1);
    return {
      declaration: ts.displayPartsToString(info?.displayParts),
      documentation: ts.displayPartsToString(info?.documentation),
      tags: info?.tags?.map(({ name }) => name) ?? [],
    };
  }

  /** The documentation of each name that is offered after this text. */
  completions(text: string): ReadonlyMap<string, string> {
    const at = this.#end(text);
    const offered = this.#service.getCompletionsAtPosition(this.#path, at, undefined)?.entries ?? [];
    return new Map(
      offered.map(({ name }) => {
        const details = this.#service.getCompletionEntryDetails(this.#path, at, name, {}, undefined, {}, undefined);
        return [name, ts.displayPartsToString(details?.documentation)];
      }),
    );
  }

  #end(text: string): number {
    const start = this.#text.indexOf(text);
    if (start < 0) throw new Error(`the file has no ${text}`);
    return start + text.length;
  }
}
