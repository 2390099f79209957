/** The beginning of a sentence that `npm run new:endpoint` or `new:channel` leaves to its caller; a test finds those that are left. */
export const placeholder = 'TODO:';
