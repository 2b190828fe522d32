import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { CHINESE, encoded, JAPANESE, KOREAN, RUSSIAN, TRADITIONAL } from '../encodings.fixture';
import { decodeWhole, detectEncoding } from './character-encoding';

const POLISH = 'Zażółć gęślą jaźń. Zwrot towaru jest możliwy w ciągu pięciu dni, później naliczamy opłatę.';
const CZECH = 'Příliš žluťoučký kůň úpěl ďábelské ódy. Vrácení zboží je možné do pěti dnů.';
const TURKISH = 'Günaydın. Ürünü beş gün içinde iade edebilirsiniz, sonra ücret alınır.';
const GREEK = 'Καλημέρα. Η επιστροφή είναι δυνατή μέσα σε πέντε ημέρες.';
const GERMAN = 'Grüße aus Köln. Die Rückgabe ist für fünf Tage möglich, danach gelten die üblichen Gebühren.';
const THAI = 'ห้องสมุดปิดวันจันทร์ และเปิดอีกครั้งในวันอังคาร เวลา 9 โมงเช้า ผู้ที่ยืมหนังสือต้องคืนภายในห้าวัน';
const LITHUANIAN =
  'Biblioteka pirmadieniais nedirba, o antradienį atidaroma devintą valandą ryto. Ąžuolų gatvė yra šalia.';
const LATVIAN =
  'Bibliotēka pirmdienās ir slēgta, bet otrdien atvērta no deviņiem rītā. Ūdens ir auksts, žogs jauns.';
const ESTONIAN = 'Raamatukogu ei ole esmaspäeval avatud, aga õhtul küll; šokolaad on müügil kella üheksani.';
const TEXTS: [text: string, ...encodings: string[]][] = [
  [POLISH, 'windows-1250', 'iso-8859-2'],
  [CZECH, 'windows-1250', 'iso-8859-2'],
  [RUSSIAN, 'windows-1251', 'koi8-r', 'iso-8859-5'],
  [GREEK, 'windows-1253', 'iso-8859-7'],
  [TURKISH, 'windows-1254'],
  [GERMAN, 'windows-1252'],
  [CHINESE, 'gb18030'],
  [TRADITIONAL, 'big5'],
  [JAPANESE, 'shift_jis', 'euc-jp'],
  [KOREAN, 'euc-kr'],
  [THAI, 'windows-874'],
  [LITHUANIAN, 'windows-1257', 'iso-8859-13', 'iso-8859-4'],
  [LATVIAN, 'windows-1257', 'iso-8859-13', 'iso-8859-4'],
  [ESTONIAN, 'windows-1257', 'iso-8859-13', 'iso-8859-4'],
  [POLISH, 'windows-1257'],
  [RUSSIAN, 'gb18030', 'shift_jis', 'euc-kr'],
];

/** The text as it is read without a declaration; null if it is refused. */
function read(bytes: Buffer): string | null {
  try {
    return decodeWhole(bytes, detectEncoding(bytes, false));
  } catch (error) {
    expect((error as Error).message).toContain('encoding cannot be recognised');
    return null;
  }
}

it.each(TEXTS.flatMap(([text, ...encodings]) => encodings.map((encoding) => [encoding, text] as const)))(
  'reads or refuses parts of any length of a text in %s',
  (encoding, text) => {
    const words = text.split(text.includes(' ') ? /(?<= )/ : /(?<=...)(?=(?:...)*$)/);
    for (const count of [1, 2, 4, 8, words.length])
      for (let from = 0; from + count <= words.length; from += Math.ceil(count / 2)) {
        const part = words
          .slice(from, from + count)
          .join('')
          .trim();
        const bytes = encoded(part, encoding);
        // Two bytes may be a letter of UTF-8 as well, and a few characters of Japanese without kana are also Chinese.
        if (isUtf8(bytes) || (encoding === 'euc-jp' && !/\p{Script=Hiragana}/u.test(part))) continue;
        expect([part, null]).toContain(read(bytes));
      }
    expect(read(encoded(text, encoding))).toBe(text);
  },
);

it.each([
  ['cp437', `${GERMAN}\n`.repeat(5)],
  ['cp850', `${GERMAN}\n`.repeat(5)],
  ['cp850', 'La bibliothèque est fermée le lundi et rouverte le mardi à midi.\n'.repeat(5)],
  ['cp862', 'הספרייה סגורה ביום שני ונפתחת שוב ביום שלישי'],
  ['macroman', `${GERMAN}\n`.repeat(5)],
  ['macroman', 'El año pasado se reabrió la biblioteca'],
  ['macgreek', GREEK],
  ['macturkish', TURKISH],
  ['maccyrillic', 'Библиотека закрыта в понедельник и открыта во вторник'],
])('refuses a text in %s, which is not recognised', (encoding, text) => {
  expect(read(iconv.encode(text, encoding))).toBeNull();
});

it.each([
  ['jis', '大阪府大阪市北区梅田三丁目一番一号'],
  ['jis', 'The product 返品は商品到着後七日以内に限ります is sold'],
  ['gb18030', '深圳市腾讯计算机系统有限公司 财务部 二〇二六年预算表'],
  ['gb18030', '本公司的新产品「ひまわり」在日本很受欢迎，退货请在七日内办理。'],
])('tells Chinese and Japanese characters apart: %s, %s', (kind, text) => {
  expect(read(encoded(text, kind === 'jis' ? 'euc-jp' : kind))).toBe(text);
});

it('reads dashes between words of English, and accents beside them', () => {
  for (const text of [
    'The pump—which was old—failed, and it was sold.',
    'Le coût–bénéfice de l’opération a été élevé.',
  ])
    expect(read(iconv.encode(text, 'windows-1252'))).toBe(text);
});

it('reads a short text whose few bytes leave no doubt', () => {
  expect(read(encoded('The café is open until nine.', 'windows-1252'))).toBe('The café is open until nine.');
  expect(read(Buffer.from('Ann\x92s report \x96 20 \x80 a day', 'latin1'))).toBe('Ann’s report – 20 € a day');
  expect(read(encoded('退款政策', 'gb18030'))).toBe('退款政策');
});
