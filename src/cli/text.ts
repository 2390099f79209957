// Texts that a terminal can be given. What stands in them of others, such as the exchange, is shown and never acted
// upon: whatever a name, a status or a message holds, it stays one value on one line. Only this file makes such a text,
// and only such a text is written: no caller can forget it.
import Table from 'cli-table3';
import { stripVTControlCharacters } from 'node:util';
import { createColors } from 'picocolors';
import { codePoints, replaceUnprintable } from '../model/printable.js';

/** A text that a terminal can be given as it is. */
export class Text {
  private constructor(readonly written: string) {}

  /** Our own words, and what is written between them. */
  static between(words: readonly string[], parts: readonly (Text | string | number)[]): Text {
    return new Text(words.map((word, index) => word + Text.#writtenOf(parts[index] ?? '')).join(''));
  }

  /** Arranges texts, as a table does. */
  static arranged<Given>(
    given: Given,
    arrange: (given: Given, writtenOf: (part: Text | string | number) => string) => string,
  ): Text {
    return new Text(arrange(given, (part) => Text.#writtenOf(part)));
  }

  /** A value of whatever origin. */
  static showing(value: string, maxLength: number): Text {
    return new Text(shownValue(value, maxLength));
  }

  static #writtenOf(part: Text | string | number): string {
    return part instanceof Text ? part.written : shownValue(String(part), maxValueLength);
  }
}

/** What stands in a text: a value, which is shown, or a text. */
export type Part = Text | string | number;

/** The longest value that is written whole, characters. What the exchange names and counts is far shorter. */
const maxValueLength = 200;

/** Writes a text: the template is ours, and every value in it is shown. */
export function text(words: TemplateStringsArray, ...parts: readonly Part[]): Text {
  return Text.between(words, parts);
}

/** Shows a value of up to so many characters, where one may be longer than others: a sentence. */
export function shown(value: string, maxLength: number): Text {
  return Text.showing(value, maxLength);
}

/** Writes parts one after the other, with a separator of ours. */
export function joined(parts: readonly Part[], separator: string): Text {
  return Text.arranged(parts, (all, writtenOf) => all.map(writtenOf).join(separator));
}

/** Writes parts with commas between them, on lines of about this many columns. */
export function wrapped(parts: readonly Part[], columns: number): Text {
  return Text.arranged(parts, (all, writtenOf) => {
    const lines: string[] = [];
    for (const part of all.map(writtenOf)) {
      const line = lines.at(-1);
      const longer = line === undefined ? part : `${line}, ${part}`;
      if (line === undefined || columnsOf(longer) > columns) lines.push(part);
      else lines.splice(-1, 1, longer);
    }
    return lines.join(',\n');
  });
}

type Paint = (part: Part) => Text;

/** Colours, or none where they are not wanted. */
export type Colors = Readonly<Record<'red' | 'green' | 'yellow', Paint>>;

export function colorsOf(isWanted: boolean): Colors {
  const { red, green, yellow } = createColors(isWanted);
  const paint =
    (color: (written: string) => string): Paint =>
    (part) =>
      Text.arranged(part, (one, writtenOf) => color(writtenOf(one)));
  return { red: paint(red), green: paint(green), yellow: paint(yellow) };
}

/** A table without colours or lines: readable by a screen reader and by `awk`. */
export function listing(head: readonly Part[], rows: readonly (readonly Part[])[]): Text {
  return Text.arranged([head, ...rows], (all, writtenOf) => {
    const lines = all.map((row) => row.map(writtenOf));
    const widths = head.map((_, column) =>
      lines.reduce((widest, line) => Math.max(widest, columnsOf(line[column] ?? '')), 0),
    );
    const padded = (cell: string, column: number) =>
      cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(cell)));
    return lines.map((line) => line.map(padded).join('  ').trimEnd()).join('\n');
  });
}

/** A framed table without colours. */
export function framed(head: readonly Part[], rows: readonly (readonly Part[])[]): Text {
  return Text.arranged(rows, (all, writtenOf) => {
    const table = new Table({ head: head.map(writtenOf), style: { head: [], border: [] } });
    for (const row of all) table.push(row.map(writtenOf));
    return table.toString();
  });
}

const ascii = /^[ -~]*$/;
const combining = /\p{M}/gu;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/gu;

/** How many columns of a terminal a shown value takes. */
function columnsOf(cell: string): number {
  if (ascii.test(cell)) return cell.length;
  const count = (characters: RegExp) => cell.match(characters)?.length ?? 0;
  return Array.from(stripVTControlCharacters(cell)).length + count(wide) - count(combining);
}

/** One space between what is seen, of whatever width: scripts have their own. */
const oneSpace = /(?<=[^\p{Z}\u2800])\p{Zs}(?=[^\p{Z}\u2800])/gu;
/**
 * Space that is more than one between words, or is not what it seems: a run of it could end a line. Marks that would
 * join what stands before.
 */
const misleading = /(?<=^| ) | $|(?! )[\p{Zs}\u2800]|^\p{M}/gu;
/** What nearly every value is: words of ASCII. */
const plain = /^[!-~]+(?: [!-~]+)*$/;
const halfPair = /[\ud800-\udbff]$/;

/** The value on one line: `\u{1b}` for a character that is no letter, and `…` for what is more than the longest. */
function shownValue(value: string, maxLength: number): string {
  if (value.length <= maxLength && plain.test(value)) return value;
  // What is cut off below need not be read.
  const beginning = value.slice(0, maxLength + 1);
  const visible = replaceUnprintable(beginning, codePoints).replace(oneSpace, ' ').replace(misleading, codePoints);
  return visible.length <= maxLength ? visible : `${visible.slice(0, maxLength).replace(halfPair, '')}…`;
}

/** What another writer has put together in lines, with what it quotes. */
export function shownLines(lines: string): string {
  return replaceUnprintable(lines, (run) => run.split('\n').map(codePoints).join('\n'));
}

/** Data as one line of JSON: of equal value to every reader, and without a character that a terminal would act upon. */
export function jsonLine(data: object): string {
  return replaceUnprintable(JSON.stringify(data), (run) =>
    Array.from({ length: run.length }, (_, index) => `\\u${run.charCodeAt(index).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
}
