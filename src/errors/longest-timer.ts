/** The longest time that a timer can wait, milliseconds: about 25 days. A longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;
