// Text that is safe to write to a terminal. Values from outside, such as a name or a message of the exchange, are
// escaped: each stays one value on one line. Only this file creates a SafeText, and the terminal writes nothing else, so
// no caller can forget to escape.
import { stripVTControlCharacters } from 'node:util';
import { createColors as createPicocolors } from 'picocolors';
import { codePoints, replaceUnprintable } from '../../model/printable.js';

export class SafeText {
  private constructor(readonly value: string) {}

  static fromLayout<Given>(
    given: Given,
    layOut: (given: Given, escape: (part: TextPart) => string) => string,
  ): SafeText {
    return new SafeText(
      layOut(given, (part) => (part instanceof SafeText ? part.value : escapeValue(String(part), maxValueLength))),
    );
  }
}

export type TextPart = SafeText | string | number;

/** Characters of a value before it is truncated. Names and numbers of the exchange are far shorter. */
const maxValueLength = 200;

export function text(words: TemplateStringsArray, ...parts: readonly TextPart[]): SafeText {
  return SafeText.fromLayout(parts, (all, escapePart) =>
    words.map((word, index) => word + escapePart(all[index] ?? '')).join(''),
  );
}

export function escape(value: string, maxLength: number): SafeText {
  return SafeText.fromLayout(value, (one) => escapeValue(one, maxLength));
}

export function join(parts: readonly TextPart[], separator: string): SafeText {
  return SafeText.fromLayout(parts, (all, escapePart) => all.map(escapePart).join(separator));
}

export function wrap(parts: readonly TextPart[], maxColumns: number): SafeText {
  return SafeText.fromLayout(parts, (all, escapePart) => {
    const lines: string[] = [];
    for (const part of all.map(escapePart)) {
      const line = lines.at(-1);
      const longer = line === undefined ? part : `${line}, ${part}`;
      if (line === undefined || displayWidth(longer) > maxColumns) lines.push(part);
      else lines.splice(-1, 1, longer);
    }
    return lines.join(',\n');
  });
}

type Paint = (part: TextPart) => SafeText;

export type Colors = Readonly<Record<'red' | 'green' | 'yellow' | 'dim', Paint>>;

export function createColors(isEnabled: boolean): Colors {
  const { red, green, yellow, dim } = createPicocolors(isEnabled);
  const paintWith =
    (color: (written: string) => string): Paint =>
    (part) =>
      SafeText.fromLayout(part, (one, escapePart) => color(escapePart(one)));
  return { red: paintWith(red), green: paintWith(green), yellow: paintWith(yellow), dim: paintWith(dim) };
}

/**
 * A table of aligned columns without frame: readable by a screen reader and by `awk`. A cell of several lines
 * makes its row as high. Columns of `isRight` are aligned at the right.
 */
export function formatColumns(
  head: readonly TextPart[],
  rows: readonly (readonly TextPart[])[],
  isRight: readonly boolean[] = [],
): SafeText {
  return SafeText.fromLayout([head, ...rows], (all, escapePart) => {
    const cells = all.map((row) => row.map((part) => escapePart(part).split('\n')));
    const widths = head.map((_, column) =>
      cells.reduce((widest, row) => Math.max(widest, ...(row[column] ?? []).map(displayWidth)), 0),
    );
    const pad = (line: string, column: number) => {
      const spaces = ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(line)));
      return isRight[column] === true ? spaces + line : line + spaces;
    };
    const linesOf = (row: readonly (readonly string[])[]) =>
      Array.from({ length: Math.max(1, ...row.map(({ length }) => length)) }, (_, line) =>
        row
          .map((cell, column) => pad(cell[line] ?? '', column))
          .join('  ')
          .trimEnd(),
      );
    return cells.flatMap(linesOf).join('\n');
  });
}

const ascii = /^[ -~]*$/;
const combining = /\p{M}/gu;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/gu;

export function displayWidth(cell: string): number {
  if (ascii.test(cell)) return cell.length;
  const count = (characters: RegExp) => cell.match(characters)?.length ?? 0;
  return Array.from(stripVTControlCharacters(cell)).length + count(wide) - count(combining);
}

/** A single space of any width between two visible characters: scripts have spaces of their own. */
const singleSpace = /(?<=[^\p{Z}\u2800])\p{Zs}(?=[^\p{Z}\u2800])/gu;
/** Leading, trailing and repeated spaces, which could fake a new line or column; and a combining mark at the start. */
const misleading = /(?<=^| ) | $|(?! )[\p{Zs}\u2800]|^\p{M}/gu;
/** Nearly every value: words of ASCII, which need no escape. */
const plain = /^[!-~]+(?: [!-~]+)*$/;
const halfPair = /[\ud800-\udbff]$/;

/** The value on one line: unprintable characters as `\u{1b}`, and `…` where it was truncated. */
function escapeValue(value: string, maxLength: number): string {
  if (value.length <= maxLength && plain.test(value)) return value;
  // Escaping never shortens a value: the rest would be truncated below.
  const beginning = value.slice(0, maxLength + 1);
  const visible = replaceUnprintable(beginning, codePoints).replace(singleSpace, ' ').replace(misleading, codePoints);
  return visible.length <= maxLength ? visible : `${visible.slice(0, maxLength).replace(halfPair, '')}…`;
}

/** Escapes a text of several lines that another writer composed, such as commander's usage errors. */
export function escapeLines(lines: string): string {
  return replaceUnprintable(lines, (run) => run.split('\n').map(codePoints).join('\n'));
}

/** Data as one line of JSON. Unprintable characters become `\u001b`, which every JSON parser reads as the same value. */
export function toJsonLine(data: object): string {
  return replaceUnprintable(JSON.stringify(data), (run) =>
    Array.from({ length: run.length }, (_, index) => `\\u${run.charCodeAt(index).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
}
