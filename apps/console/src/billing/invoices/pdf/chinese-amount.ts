const DIGITS = '零壹贰叁肆伍陆柒捌玖';
const PLACES = ['', '拾', '佰', '仟'];
const TEN_THOUSAND = 10_000n;
const HUNDRED_MILLION = 100_000_000n;
const MINOR_PER_UNIT = 100n;

const digit = (value: bigint) => DIGITS[Number(value)]!;

/** A number below ten thousand, without a leading 零. */
function fourDigits(value: bigint): string {
  let text = '';
  let isZeroDue = false;
  for (let place = 3; place >= 0; place--) {
    const figure = (value / 10n ** BigInt(place)) % 10n;
    if (figure === 0n) {
      isZeroDue = text !== '';
      continue;
    }
    text += `${isZeroDue ? '零' : ''}${digit(figure)}${PLACES[place]}`;
    isZeroDue = false;
  }
  return text;
}

/** Joins two parts by the unit's name, with a 零 if the lower part lacks its highest place. */
function joined(value: bigint, unit: bigint, name: string): string {
  const rest = value % unit;
  const gap = rest !== 0n && rest < unit / 10n ? '零' : '';
  return `${wholeNumber(value / unit)}${name}${gap}${wholeNumber(rest)}`;
}

function wholeNumber(value: bigint): string {
  if (value >= HUNDRED_MILLION) return joined(value, HUNDRED_MILLION, '亿');
  if (value >= TEN_THOUSAND) return joined(value, TEN_THOUSAND, '万');
  return fourDigits(value);
}

/**
 * Formats an amount in fen in Chinese financial numerals (大写), without the prefix 人民币: 壹仟零壹元整, 叁元零伍分,
 * 肆元伍角整. It ends in 整 unless there are fen.
 */
export function formatChineseAmount(fen: bigint): string {
  const yuan = fen / MINOR_PER_UNIT;
  const jiao = (fen / 10n) % 10n;
  const rest = fen % 10n;
  if (fen === 0n) return '零元整';
  const whole = yuan === 0n ? '' : `${wholeNumber(yuan)}元`;
  const tenths = jiao === 0n ? '' : `${digit(jiao)}角`;
  if (rest === 0n) return `${whole}${tenths}整`;
  const gap = whole !== '' && jiao === 0n ? '零' : '';
  return `${whole}${tenths}${gap}${digit(rest)}分`;
}
