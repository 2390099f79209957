// Characters that a terminal or a log acts upon, or does not show: what a text of the exchange, or of anyone else, may
// not bring there.

/**
 * Control characters (C0, DEL, C1), format characters (bidi controls, zero width, tags), line and paragraph separators,
 * lone surrogates, private use, noncharacters, and everything else that Unicode lets a renderer leave out, such as
 * variation selectors and blank letters. U+1D159 and U+16FE4 are not among those, and are drawn as nothing all the
 * same.
 */
const unprintable =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u{16fe4}\u{1d159}]+/gu;

/** Replaces every run of such characters. */
export function replaceUnprintable(text: string, replace: (run: string) => string): string {
  return text.replace(unprintable, replace);
}

/** Characters as they can be read: `\u{1b}` for an escape. */
export function codePoints(run: string): string {
  return Array.from(run, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).join('');
}
