/** Numbers of lists in the formats of ISO 29500-1, 17.18.59 (`ST_NumberFormat`), which those of other documents are mapped to. */

type Format = (value: number) => string;

/** Letters repeat up to here; a document that counts on gets digits, because the letters of a number would become its longest part. */
const MAX_REPETITIONS = 30;
/** More thousands have no sign in plain letters. */
export const MAX_ROMAN = 3_999;
const ROMAN = [
  ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'],
  ['', 'x', 'xx', 'xxx', 'xl', 'l', 'lx', 'lxx', 'lxxx', 'xc'],
  ['', 'c', 'cc', 'ccc', 'cd', 'd', 'dc', 'dcc', 'dccc', 'cm'],
  ['', 'm', 'mm', 'mmm'],
];

/** In small Roman numerals up to 3,999, then in digits. */
export const roman: Format = (value) =>
  value > MAX_ROMAN
    ? String(value)
    : [...String(value)].map((digit, at, all) => ROMAN[all.length - 1 - at]![Number(digit)]).join('');

/** In letters as HTML and OpenDocument count: a, b, …, z, aa, ab. */
export function alphabetic(value: number): string {
  let letters = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  return letters;
}

/** In letters as Office counts: a, b, …, z, aa, bb. */
function letters(alphabet: string): Format {
  const all = [...alphabet];
  return (value) => {
    const repetitions = Math.ceil(value / all.length);
    return repetitions > MAX_REPETITIONS ? String(value) : all[(value - 1) % all.length]!.repeat(repetitions);
  };
}

/** One sign for each number; in digits beyond the last one. */
const signs =
  (first: string, count: number): Format =>
  (value) =>
    value > count ? String(value) : String.fromCodePoint(first.codePointAt(0)! + value - 1);

/** One of a few characters for each number; in digits beyond the last one. */
function oneOf(alphabet: string): Format {
  const all = [...alphabet];
  return (value) => all[value - 1] ?? String(value);
}

/** In decimal digits of a script. */
const digits = (ten: string): Format => {
  const all = [...ten];
  return (value) => [...String(value)].map((digit) => all[Number(digit)]).join('');
};

interface EastAsian {
  /** From zero to nine. */
  digits: string;
  /** Ten, hundred, thousand, ten thousand. */
  units: string;
  /** Whether a gap is read as one zero. */
  hasZero?: boolean;
  /** Up to which unit a leading one is left out. */
  bareUnits?: number;
}

const MAX_EAST_ASIAN = 99_999_999;

/** In East Asian words, of which each digit is followed by its unit. */
function counting({ digits: ten, units, hasZero = false, bareUnits = 0 }: EastAsian): Format {
  const group = (value: number, isFirst: boolean): string => {
    let text = '';
    let gap = false;
    for (let unit = 3; unit >= 0; unit--) {
      const digit = Math.floor(value / 10 ** unit) % 10;
      if (digit === 0) {
        gap ||= text !== '' || !isFirst;
        continue;
      }
      if (gap && hasZero) text += ten[0];
      gap = false;
      const isBare = digit === 1 && unit > 0 && unit <= bareUnits && (!hasZero || (isFirst && text === ''));
      text += (isBare ? '' : ten[digit]!) + (unit > 0 ? units[unit - 1]! : '');
    }
    return text;
  };
  return (value) => {
    if (value > MAX_EAST_ASIAN) return String(value);
    if (value === 0) return ten[0]!;
    const high = Math.floor(value / 10_000);
    const low = value % 10_000;
    return (high > 0 ? group(high, true) + units[3]! : '') + (low > 0 ? group(low, high === 0) : '');
  };
}

/** In words up to 99, then digit by digit. */
const below =
  (limit: number, low: Format, high: Format): Format =>
  (value) =>
    (value < limit ? low : high)(value);

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const ORDINALS = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
]);
const MAX_WORDS = 9_999;

function english(value: number): string {
  if (value > MAX_WORDS) return String(value);
  if (value < 20) return ONES[value]!;
  const rest = (by: number, joint: string): string => (value % by === 0 ? '' : joint + english(value % by));
  if (value < 100) return TENS[Math.floor(value / 10) - 2]! + rest(10, '-');
  if (value < 1_000) return `${ONES[Math.floor(value / 100)]} hundred${rest(100, ' ')}`;
  return `${english(Math.floor(value / 1_000))} thousand${rest(1_000, ' ')}`;
}

const englishOrdinal: Format = (value) =>
  value > MAX_WORDS
    ? ordinal(value)
    : english(value).replace(/[a-z]+$/, (word) => ORDINALS.get(word) ?? `${word.replace(/y$/, 'ie')}th`);

function ordinal(value: number): string {
  const isTeen = Math.floor((value % 100) / 10) === 1;
  return `${value}${(!isTeen && ['', 'st', 'nd', 'rd'][value % 10]) || 'th'}`;
}

/** Hebrew numerals; 15 and 16 are not written as parts of the name of God. */
function hebrew(value: number): string {
  if (value > 999) return String(value);
  const of = (alphabet: string, at: number): string => (at > 0 ? alphabet[at - 1]! : '');
  const rest = value % 100;
  const hundreds = 'ת'.repeat(Math.floor(value / 400)) + of('קרש', Math.floor((value % 400) / 100));
  if (rest === 15 || rest === 16) return `${hundreds}ט${rest === 15 ? 'ו' : 'ז'}`;
  return hundreds + of('יכלמנסעפצ', Math.floor(rest / 10)) + of('אבגדהוזחט', rest % 10);
}

const KOREAN_ONES = ['', ...'하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉'.split(' ')];
const KOREAN_TENS = ['', ...'열 스물 서른 마흔 쉰 예순 일흔 여든 아흔'.split(' ')];
const korean: Format = (value) =>
  value > 99 ? String(value) : KOREAN_TENS[Math.floor(value / 10)]! + KOREAN_ONES[value % 10]!;

const capital =
  (format: Format): Format =>
  (value) =>
    format(value).replace(/^[a-z]/, (letter) => letter.toUpperCase());
const upper =
  (format: Format): Format =>
  (value) =>
    format(value).toUpperCase();

const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const RUSSIAN = 'абвгдежзиклмнопрстуфхцчшщыэюя';
const AIUEO = 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン';
const HALF_AIUEO = 'ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ';
const IROHA =
  'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス';
const HALF_IROHA = 'ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽ';
const CHINESE: EastAsian = { digits: '零一二三四五六七八九', units: '十百千万', hasZero: true, bareUnits: 1 };
const chinese = counting(CHINESE);
const chineseDigits = digits('○一二三四五六七八九');
const japanese = counting({ digits: '〇一二三四五六七八九', units: '十百千万', bareUnits: 3 });
const CIRCLED = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟㊱㊲㊳㊴㊵㊶㊷㊸㊹㊺㊻㊼㊽㊾㊿';
const fullWidth = digits('０１２３４５６７８９');
const FORMATS = new Map<string, Format>([
  ['none', () => ''],
  ['bullet', () => ''],
  ['decimalZero', (value) => String(value).padStart(2, '0')],
  ['numberInDash', (value) => `- ${value} -`],
  ['hex', (value) => value.toString(16).toUpperCase()],
  ['chicago', letters('*†‡§')],
  ['lowerRoman', roman],
  ['upperRoman', upper(roman)],
  ['lowerLetter', letters(LATIN)],
  ['upperLetter', upper(letters(LATIN))],
  ['ordinal', ordinal],
  ['cardinalText', capital(english)],
  ['ordinalText', capital(englishOrdinal)],
  ['decimalFullWidth', fullWidth],
  ['decimalFullWidth2', fullWidth],
  ['decimalEnclosedCircle', oneOf(CIRCLED)],
  ['decimalEnclosedCircleChinese', oneOf(CIRCLED)],
  ['decimalEnclosedFullstop', signs('⒈', 20)],
  ['decimalEnclosedParen', signs('⑴', 20)],
  ['ideographEnclosedCircle', signs('㊀', 10)],
  ['chineseCountingThousand', chinese],
  ['taiwaneseCountingThousand', counting({ ...CHINESE, units: '十百千萬' })],
  ['chineseCounting', below(100, chinese, chineseDigits)],
  ['taiwaneseCounting', below(100, chinese, chineseDigits)],
  ['taiwaneseDigital', chineseDigits],
  ['ideographDigital', digits('〇一二三四五六七八九')],
  ['japaneseDigitalTenThousand', digits('〇一二三四五六七八九')],
  ['chineseLegalSimplified', counting({ digits: '零壹贰叁肆伍陆柒捌玖', units: '拾佰仟萬', hasZero: true })],
  [
    'ideographLegalTraditional',
    counting({ digits: '零壹貳參肆伍陸柒捌玖', units: '拾佰仟萬', hasZero: true }),
  ],
  ['japaneseCounting', japanese],
  ['japaneseLegal', counting({ digits: '〇壱弐参四伍六七八九', units: '拾百阡萬' })],
  ['koreanCounting', counting({ digits: '영일이삼사오육칠팔구', units: '십백천만', bareUnits: 3 })],
  ['koreanDigital', digits('영일이삼사오육칠팔구')],
  ['koreanDigital2', digits('零一二三四五六七八九')],
  ['koreanLegal', korean],
  ['ideographTraditional', oneOf('甲乙丙丁戊己庚辛壬癸')],
  ['ideographZodiac', oneOf('子丑寅卯辰巳午未申酉戌亥')],
  [
    'ideographZodiacTraditional',
    (value) => '甲乙丙丁戊己庚辛壬癸'[(value - 1) % 10]! + '子丑寅卯辰巳午未申酉戌亥'[(value - 1) % 12]!,
  ],
  ['aiueo', letters(HALF_AIUEO)],
  ['aiueoFullWidth', letters(AIUEO)],
  ['iroha', letters(HALF_IROHA)],
  ['irohaFullWidth', letters(IROHA)],
  ['ganada', letters('가나다라마바사아자차카타파하')],
  ['chosung', letters('ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ')],
  ['russianLower', letters(RUSSIAN)],
  ['russianUpper', upper(letters(RUSSIAN))],
  ['hebrew1', hebrew],
  ['hebrew2', letters('אבגדהוזחטיכלמנסעפצקרשת')],
  ['arabicAlpha', letters('أبتثجحخدذرزسشصضطظعغفقكلمنهوي')],
  ['arabicAbjad', letters('أبجدهوزحطيكلمنسعفصقرشتثخذضظغ')],
  ['hindiNumbers', digits('०१२३४५६७८९')],
  ['hindiConsonants', letters('कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह')],
  ['hindiVowels', letters('अआइईउऊऋएऐओऔ')],
  ['thaiNumbers', digits('๐๑๒๓๔๕๖๗๘๙')],
  ['thaiLetters', letters('กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ')],
]);
/** Formats that have a way to write nothing. */
const WITH_ZERO = new Set([
  'none',
  'bullet',
  'decimalZero',
  'numberInDash',
  'hex',
  'ordinal',
  'cardinalText',
]);

/** A number in a format of `ST_NumberFormat`; in digits if the format is unknown, or writes no such number. */
export function inNumberFormat(value: number, name: string): string {
  const format = FORMATS.get(name);
  return format && (value > 0 || (value === 0 && WITH_ZERO.has(name))) ? format(value) : String(value);
}
