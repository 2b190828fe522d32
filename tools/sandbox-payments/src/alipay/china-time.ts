const OFFSET_MS = 8 * 3_600_000;
const CHINA_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/;

/** As Alipay writes times: 2026-06-08 10:34:56, in China. */
export const chinaTime = (milliseconds: number): string =>
  new Date(milliseconds + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');

/** Milliseconds since 1970; NaN when it is no such time. */
export function readChinaTime(text: string): number {
  const [, day, time] = CHINA_TIME.exec(text) ?? [];
  return Date.parse(`${day}T${time}+08:00`);
}
