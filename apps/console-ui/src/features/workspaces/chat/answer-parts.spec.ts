import { Figure } from '../../../figures/figure';
import { answerParts, type Citation } from './chat-queries';

const citation = (number: string) => ({ number: Figure.of(number), title: `document ${number}` }) as Citation;

it('takes an answer apart at its markers', () => {
  const [first, second] = [citation('1'), citation('2')];
  expect(answerParts('Five days [1][2]. Or ten [1]', [first, second])).toEqual([
    { text: 'Five days ' },
    { citation: first },
    { citation: second },
    { text: '. Or ten ' },
    { citation: first },
  ]);
});

it('leaves a number in brackets that cites nothing', () => {
  expect(answerParts('See [3].', [citation('1')])).toEqual([{ text: 'See [3].' }]);
  expect(answerParts('', [])).toEqual([]);
});
