import { builtThread, textOf } from '../../extraction-thread/extraction-thread.fixture';
import { fromRight, pdfkit, placed } from './pdf.fixture';

type Case = [name: string, content: () => Buffer | Promise<Buffer>, text: string];

const extractor = builtThread();
afterAll(() => extractor.close());

describe('the text of a PDF', () => {
  it.each<Case>([
    [
      'in Hebrew, with numbers, Latin words, brackets',
      () =>
        placed([
          ...fromRight(700, ['ניתן', 'להחזיר', 'מוצר', '(כולל', 'מע״מ)', 'בתוך', '14', 'יום', 'או', 'עד']),
          ...fromRight(688, ['1,250.50', 'ש״ח', 'של', 'Lumen Lamps (2nd gen)', 'בלבד;', 'פחות', '.17%']),
          ...fromRight(640, ['טל׳', '03-1234567', 'אל', 'help@example.com', '[א–ה].']),
        ]),
      'ניתן להחזיר מוצר (כולל מע״מ) בתוך 14 יום או עד 1,250.50 ש״ח של Lumen Lamps (2nd gen) בלבד; פחות 17%.\n\n' +
        'טל׳ 03-1234567 אל help@example.com [א–ה].',
    ],
    [
      'in Arabic, drawn letter by letter',
      () =>
        placed([
          ...fromRight(700, ['ﺳﻴﺎﺳﺔ', 'اﻹرﺟﺎع', '٪١٧)', '(2026/03']),
          ...fromRight(688, ['ﺧﻼل', '14-3', 'ﻳﻮﻣﺎ.']),
        ]),
      'سياسة الإرجاع (١٧٪ 2026/03) خلال 3-14 يوما.',
    ],
    [
      'whose cells are drawn from the right',
      () => placed(fromRight(700, ['חדר', '₪ 80']).reverse()),
      'חדר 80 ₪',
    ],
    [
      'with a numbered item in Hebrew',
      () =>
        placed([
          [400, 700, 'דחא דעצ'],
          [455, 700, '.1'],
        ]),
      '1. צעד אחד',
    ],
    [
      'in English, with Hebrew words',
      () =>
        placed([
          [50, 700, 'It says'],
          [90, 700, '(םימי'],
          [118, 700, '14)'],
          [136, 700, 'םולש'],
          [160, 700, 'and goes on.'],
        ]),
      'It says שלום (14 ימים) and goes on.',
    ],
    ['with radicals for characters', () => placed([[50, 700, '⻓城⻔⼾⾯⾷⻝品']]), '长城门户面食食品'],
    [
      'with tables',
      () =>
        placed([
          [50, 720, 'Daily allowances:'],
          [60, 700, 'Country'],
          [107.5, 700, 'Daily rate'],
          [165.5, 700, 'Hotel'],
          [50, 688, 'United Kingdom'],
          [127.5, 688, '45'],
          [160, 688, '180 GBP'],
          [50, 676, 'Japan'],
          [120, 676, '9,000'],
          [160, 676, '240 JPY'],
          [50, 664, 'Receipts are kept.'],
          [50, 640, '城市'],
          [90, 640, '住宿'],
          [130, 640, '餐费'],
          [50, 628, '上海'],
          [90, 628, '五百'],
          [130, 628, '一百'],
          [50, 616, '另有补贴。'],
        ]),
      'Daily allowances:\n\nCountry | Daily rate | Hotel\nUnited Kingdom | 45 | 180 GBP\nJapan | 9,000 | 240 JPY\n\n' +
        'Receipts are kept.\n\n城市 | 住宿 | 餐费\n上海 | 五百 | 一百\n\n另有补贴。',
    ],
    [
      'with wide spaces in its lines',
      () =>
        placed([
          [50, 720, '1.2'],
          [80, 720, 'Scope'],
          [50, 700, 'Justified'],
          [110, 700, 'lines'],
          [150, 700, 'stand'],
          [50, 688, 'with'],
          [90, 688, 'words'],
          [135, 688, 'far'],
          [170, 688, 'apart.'],
          [50, 676, 'A sentence ends.'],
          [139, 676, 'Another one'],
        ]),
      '1.2 Scope\n\nJustified lines stand with words far apart. A sentence ends. Another one',
    ],
    [
      'with text that hangs behind its mark or its name',
      () =>
        placed([
          [50, 720, 'o'],
          [64, 720, 'Items are taken back within thirty'],
          [64, 708, 'days of receipt.'],
          [50, 680, '(viii)'],
          [90, 680, 'Or later.'],
          [50, 660, '-c'],
          [90, 660, 'If there are arguments, the com-'],
          [90, 648, 'mand is run.'],
          [50, 620, '第一条'],
          [100, 620, '本制度适用于全体员工。'],
        ]),
      'o Items are taken back within thirty days of receipt.\n\n(viii) Or later.\n\n' +
        '-c | If there are arguments, the command is run.\n\n第一条 本制度适用于全体员工。',
    ],
    [
      'with words in other fonts',
      () =>
        placed([
          [50, 720, 'IFS'],
          [100, 720, 'The'],
          [118.6, 720, 'Internal Field Separator'],
          [242.4, 720, 'that is used'],
          [50, 690, 'is defined using'],
          [134.7, 690, 'bind'],
          [162.9, 690, '-x'],
          [177.6, 690, '(see there)'],
          [50, 660, 'the following:'],
          [128.6, 660, 'a passport'],
        ]),
      'IFS | The Internal Field Separator that is used\n\nis defined using bind -x (see there)\n\nthe following: a passport',
    ],
    [
      'with compounds at the ends of its lines',
      () =>
        placed([
          [50, 720, 'A state-of-the-'],
          [50, 708, 'art pump of type E-'],
          [50, 696, '4711 for the Ein-'],
          [50, 684, 'und Ausgang by Jean-'],
          [50, 672, 'Paul is a ma-'],
          [50, 660, 'chine.'],
        ]),
      'A state-of-the-art pump of type E-4711 for the Ein- und Ausgang by Jean-Paul is a machine.',
    ],
    [
      'in columns that are drawn line by line',
      () =>
        placed([
          [50, 720, 'The harbour opens at dawn and'],
          [300, 720, 'visitors pay at the gate, where'],
          [50, 708, 'boats may leave until the eve-'],
          [300, 708, 'a bell rings twice before the'],
          [50, 696, 'ning bell is rung by one of the'],
          [300, 696, 'ferry leaves, and once more if'],
          [50, 684, 'keepers on duty. In winter, all'],
          [300, 684, 'it comes back early.'],
        ]),
      'The harbour opens at dawn and boats may leave until the evening bell is rung by one of the keepers on duty. In winter, all ' +
        'visitors pay at the gate, where a bell rings twice before the ferry leaves, and once more if it comes back early.',
    ],
    [
      'with a table of long cells',
      () =>
        placed(
          [720, 708, 696, 684, 672].flatMap((y): [number, number, string][] => [
            [50, y, 'Repair of the northern pumps'],
            [300, y, 'Two workers for three days'],
          ]),
        ),
      Array(5).fill('Repair of the northern pumps | Two workers for three days').join('\n'),
    ],
    [
      'with a table over two pages',
      () =>
        pdfkit({ margin: 20, autoFirstPage: false }, (d) => {
          for (const lamp of ['Finch', 'Heron'])
            d.addPage()
              .text('Lamp', 50, 50)
              .text('Price', 150, 50)
              .text(lamp, 50, 64)
              .text('80 EUR', 150, 64);
        }),
      'Lamp | Price\nFinch | 80 EUR\nLamp | Price\nHeron | 80 EUR',
    ],
  ])('%s', async (_name, content, text) => {
    expect(await textOf(extractor, await content(), 'application/pdf')).toBe(text);
  });
});
