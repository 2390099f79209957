/** One of the values known today, or one that the exchange added since. Editors complete the known ones. */
export type LiteralUnion<Known extends string> = Known | (string & {});
