const OFFSET_MS = 8 * 3_600_000;
const CHINA_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/;

/** Alipay's time format, in China Standard Time: 2026-06-08 10:34:56. */
export const chinaTime = (milliseconds: number): string =>
  new Date(milliseconds + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');

/** Unix time in milliseconds, or NaN if the format is invalid. */
export function readChinaTime(text: string): number {
  const [, day, time] = CHINA_TIME.exec(text) ?? [];
  return Date.parse(`${day}T${time}+08:00`);
}
