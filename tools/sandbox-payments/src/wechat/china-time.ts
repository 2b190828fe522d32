const OFFSET_MS = 8 * 3_600_000;

/** WeChat Pay's time format, RFC 3339 with seconds: 2026-06-08T10:34:56+08:00. */
export const chinaTime = (time: string): string =>
  `${new Date(Date.parse(time) + OFFSET_MS).toISOString().slice(0, 19)}+08:00`;
