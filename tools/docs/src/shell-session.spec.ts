import { matchesOutput, outputsByLine, readCodeBlocks, readSteps, shellScript } from './shell-session';

const DOCUMENT = [
  '```sh',
  'echo one',
  '```',
  '```text output',
  'o…e',
  '```',
  '```sh not-run',
  'rm -rf /',
  '```',
  '```js',
  'throw 1;',
  '```',
  '```sh status=404',
  'curl "$URL"',
  '```',
].join('\n');

describe('the steps of a document', () => {
  it('are its sh blocks, without those that are marked as not run', () => {
    expect(readSteps(readCodeBlocks(DOCUMENT))).toEqual([
      {
        commands: { language: 'sh', options: [], text: 'echo one', line: 1 },
        expectedStatus: null,
        expectedOutput: 'o…e',
      },
      {
        commands: { language: 'sh', options: ['status=404'], text: 'curl "$URL"', line: 13 },
        expectedStatus: '404',
        expectedOutput: null,
      },
    ]);
  });

  it('have options that are known', () => {
    expect(() => readSteps(readCodeBlocks('```sh notrun\n```'))).toThrow('Line 1: notrun is not known.');
  });

  it('become one script that marks the output of each', () => {
    const script = shellScript(readSteps(readCodeBlocks(DOCUMENT)));
    expect(script).toContain("printf '\\n%s\\n' '--- step at line 13'\nEXPECTED_STATUS=404\ncurl");
    expect(outputsByLine('\n--- step at line 1\none\n\n--- step at line 13\ntwo')).toEqual(
      new Map([
        [1, 'one\n'],
        [13, 'two'],
      ]),
    );
  });
});

it('an ellipsis in an expected output stands for any text', () => {
  expect(matchesOutput('{"id":"…","paid":true}', 'x {"id":"pay_1","paid":true} y')).toBe(true);
  expect(matchesOutput('{"id":"…","paid":true}', '{"id":"pay_1","paid":false}')).toBe(false);
  expect(matchesOutput('a.c', 'abc')).toBe(false);
});

it('a code block that is not closed is an error', () => {
  expect(() => readCodeBlocks('text\n```sh\necho')).toThrow('The code block of line 2 is not closed.');
});
