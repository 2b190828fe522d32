/** Hours and minutes that somebody has typed, such as `9:30`, as `09:30`. Null for anything else. */
export function typedTime(typed: string): string | null {
  const [, hour = '', minute = ''] = /^(\d{1,2}):(\d\d)$/.exec(typed.normalize('NFKC').trim()) ?? [];
  if (hour === '' || Number(hour) > LAST_HOUR || Number(minute) > LAST_MINUTE) return null;
  return `${hour.padStart(2, '0')}:${minute}`;
}
const LAST_HOUR = 23;
const LAST_MINUTE = 59;
