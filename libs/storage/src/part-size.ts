/** Twice doubles the memory of an upload; half doubles the requests. S3 requires at least 5 MiB. */
const MIN_PART_BYTES = 16 * 2 ** 20;
const PART_STEP_BYTES = 2 ** 20;
/** Limit of S3. */
export const MAX_PARTS = 10_000;
/** The largest part of a file that arrives in parts. A part is in memory, of which one caller may use 64 MiB. */
export const MAX_PART_BYTES = 64 * 2 ** 20;
/** The largest file whose parts are not larger. */
export const MAX_PARTED_BYTES = MAX_PARTS * MAX_PART_BYTES;

/** The smallest part size, at least 16 MiB, with which a file of this size stays within S3's limit of parts. */
export function partBytesOf(sizeBytes: number): number {
  return Math.max(MIN_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / PART_STEP_BYTES) * PART_STEP_BYTES);
}
