/** How long an event may be unless its reader says otherwise, in UTF-16 code units. */
export const defaultMaxEventLength = 16_777_216;
