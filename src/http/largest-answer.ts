/** The largest answer, bytes, before and after it is decompressed. The list of markets, which is the longest, has some hundred kilobytes. */
export const largestAnswerBytes = 8 * 2 ** 20;
