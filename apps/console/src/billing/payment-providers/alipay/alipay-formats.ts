import { decimalToScaled } from '@inference/money';

const CHINA_OFFSET_MS = 8 * 3_600_000;
const TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/;
const FEN_DIGITS = 2;
const YUAN = /^\d{1,11}(\.\d{1,2})?$/;

/** Reads an amount in yuan, such as 0.1 or "88.88", as fen. Null if it is not an amount with at most two decimals. */
export function parseFen(yuan: unknown): bigint | null {
  if (typeof yuan !== 'string' && typeof yuan !== 'number') return null;
  const text = String(yuan);
  return YUAN.test(text) ? decimalToScaled(text, FEN_DIGITS) : null;
}

/** `88.88` for 8888 fen. */
export function formatYuan(fen: bigint): string {
  const digits = fen.toString().padStart(FEN_DIGITS + 1, '0');
  return `${digits.slice(0, -FEN_DIGITS)}.${digits.slice(-FEN_DIGITS)}`;
}

/** Alipay's time format, in China's time: 2026-06-08 10:34:56. */
export const formatChinaTime = (date: Date): string =>
  new Date(date.getTime() + CHINA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');

/** Null if the text is not a time in that format. */
export function parseChinaTime(chinaTime: unknown): Date | null {
  const [, day, time] = (typeof chinaTime === 'string' && TIME.exec(chinaTime)) || [];
  const date = new Date(`${day}T${time}+08:00`);
  return Number.isNaN(date.getTime()) ? null : date;
}
