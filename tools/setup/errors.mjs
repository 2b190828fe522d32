/** Reads the message and the code of a caught value, whose type is unknown. */

/** @param {unknown} error @returns {string} */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** @param {unknown} error @returns {string | undefined} of Node (`ESRCH`) or of PostgreSQL (`28P01`), if there is one */
export function codeOf(error) {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
