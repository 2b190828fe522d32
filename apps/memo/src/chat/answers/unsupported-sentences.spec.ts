import { unsupportedSentences } from './unsupported-sentences';

const PASSAGES = [
  {
    title: 'Refunds',
    text: 'Refunds are issued within 5 days of the return. Shipping is free above 30 euros. Large orders cost 1250000 yen, 3.400 at least.',
  },
  { title: '退款政策', text: '退款在五天内发放，运费由买家承担。' },
];
const marked = (answer: string): string[] =>
  unsupportedSentences(answer, PASSAGES).map(({ start, end }) => answer.slice(start, end));

it.each<[string, string[]]>([
  ['Refunds are issued within 5 days [1].', []],
  ['Refunds are issued within 7 days [1].', ['Refunds are issued within 7 days [1].']],
  ['Refunds are issued within 5 days. [1]', []],
  ['Refunds are issued within 5 days of the return.', []],
  ['Our bakery in Lisbon opens every Sunday.', ['Our bakery in Lisbon opens every Sunday.']],
  [
    'Refunds are issued within 5 days [1]. The office closes early on Fridays. Shipping is free [1].',
    ['The office closes early on Fridays.'],
  ],
  ['Large orders cost １，２５０，０００ yen [1]. They cost 3,400 yen at least [1].', []],
  ['Large orders cost 1,350,000 yen [1].', ['Large orders cost 1,350,000 yen [1].']],
  ['Yes. Do you want to know more about the bakery in Lisbon?', []],
  ['退款在五天内发放[2]。', []],
  ['公司总部设在上海浦东新区。', ['公司总部设在上海浦东新区。']],
  [
    '1. Shipping is free above 30 euros [1].\n2. Refunds are issued within 5 days [1].\n  3) Shipping is free [1].',
    [],
  ],
  ['1. Refunds are issued within 7 days [1].', ['1. Refunds are issued within 7 days [1].']],
  ['', []],
])('judges %j', (answer, unsupported) => {
  expect(marked(answer)).toEqual(unsupported);
});
