import { MemoSite, type Person } from '../memo.fixture';
import { chat, readCitations } from './chat-client.fixture';

const HANDBOOK = `# Employee handbook

Welcome to Northwind. This handbook applies to all employees in Ireland and Germany.

## Annual leave

Every full-time employee has 27 days of paid annual leave per calendar year. Requests are made two weeks before.

## Sick leave

If you are ill, tell your manager on the first day. A doctor's certificate is needed from the third day on. Northwind pays your full salary for six weeks.

## Travel expenses

| Item | Limit |
|---|---|
| Hotel | 140 EUR per night |
| Dinner | 35 EUR |

Trains are booked by the travel office in Dublin. Both trains and flights are booked by the travel office a week before.

- Gift cards cannot be expensed
- The surface of the steam pipe gets hot

## Notice period

Either side may give notice of two weeks. After six months the notice period is three months.

## How is the speaker reset?

1. Press both keys for ten seconds.
2. Let them go.
3. Wait.

## Leaving

2.1 Chairs stay. On the last day everybody returns:

- the laptop
- all keys

2.2 Desks stay.
`;
const CHINESE = `员工手册

第二章 年假
员工累计工作满一年不满十年的，年休假五天；满十年不满二十年的，年休假十天。未使用的年假可以延期到次年三月。

第三章 病假
病假期间的工资按照基本工资的百分之八十支付。连续病假超过三十天的，须由人力资源部审批。
`;
const REFUSALS = [
  'The documents of this workspace do not answer that.',
  '这个知识库的文档没有回答这个问题。',
];

let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  site.startIngestion();
  owner = await site.person();
  workspace = await owner.newWorkspace();
  const files = [
    ['handbook.md', 'text/markdown', HANDBOOK],
    ['手册.txt', 'text/plain', CHINESE],
  ] as const;
  for (const [name, type, text] of files) {
    const form = new FormData();
    form.append('file', new Blob([text], { type }), name);
    expect(await owner.addDocument(workspace, form)).toMatchObject({ status: 'ready' });
  }
});
afterAll(() => site?.stop());

it.each([
  [
    'How many days of annual leave do I get?',
    'Every full-time employee has 27 days of paid annual leave per calendar year. [1]',
  ],
  [
    'how many vacation days',
    /Every full-time employee has 27 days of paid annual leave per calendar year. \[1\]/,
  ],
  ['When do I need a doctor’s certificate?', "A doctor's certificate is needed from the third day on. [1]"],
  ['What is the hotel limit per night?', 'Item | Limit [1] Hotel | 140 EUR per night [1]'],
  ['How long is the notice period?', /After six months the notice period is three months. \[1\]$/],
  ['Can I expense gift cards?', 'Gift cards cannot be expensed [1]'],
  ['How do I reset the speaker?', '1. Press both keys for ten seconds. 2. Let them go. 3. Wait. [1]'],
  ['What is returned on the last day?', 'On the last day everybody returns: - the laptop - all keys [1]'],
  ['年假可以延期吗？', '未使用的年假可以延期到次年三月。 [1]'],
  ['病假工资怎么算？', '病假期间的工资按照基本工资的百分之八十支付。 [1]'],
])('%s', async (query, text) => {
  const answer = await chat(owner, workspace, { query });
  expect(answer.text).toEqual(text instanceof RegExp ? (expect.stringMatching(text) as string) : text);
  // The citation is one of the sentences that the answer quotes.
  const citations = readCitations(answer.citations);
  expect(citations.length).toBeGreaterThan(0);
  for (const { number, snippet } of citations) expect(answer.text).toContain(`${snippet} [${number}]`);
});

it('cites the best quoted sentence of each passage', async () => {
  const answer = await chat(owner, workspace, {
    query: 'Are trains and flights booked by the travel office?',
  });
  const best = 'Both trains and flights are booked by the travel office a week before.';
  expect(answer.text).toBe(`Trains are booked by the travel office in Dublin. [1] ${best} [1]`);
  expect(readCitations(answer.citations)).toMatchObject([{ number: 1, snippet: best }]);
});

it.each([
  'How do I get my money back?',
  'What is the dog policy at the office?',
  'Who is the president of France?',
  'What is the weather tomorrow?',
  'What is 2+2?',
  'What does 27+27 mean?',
  '公司的股票代码是什么？',
  '今天的汇率是多少？',
])('refuses %s', async (query) => {
  const answer = await chat(owner, workspace, { query });
  expect(REFUSALS).toContain(answer.text);
  expect(answer.citations).toBe('Citations: none');
});

it('does not end sentences at abbreviations', async () => {
  const text = 'A parking space costs 40 EUR incl. VAT, e.g. Tuesday at 5 p.m. Monday is free.';
  await owner.addDocument(workspace, { title: 'Parking', text });
  const { text: answer } = await chat(owner, workspace, { query: 'What does a parking space cost?' });
  expect(answer).toMatch(/incl\. VAT, e\.g\. Tuesday/);
});

it('continues from the previous question if a question has no content words', async () => {
  const { conversationId: id } = await chat(owner, workspace, { query: 'Who pays my salary?' });
  const alone = { query: 'And how much of it?' };
  expect(REFUSALS).toContain((await chat(owner, workspace, alone)).text);
  const answer = await chat(owner, workspace, { ...alone, conversation_id: id });
  expect(answer.text).toBe('Northwind pays your full salary for six weeks. [1]');
});

it.each(['Is there a gym?', 'Who is the CEO?', 'What is 2+2?'])(
  '%s is not answered from the previous question',
  async (query) => {
    const first = await chat(owner, workspace, { query: 'How many days of annual leave do I get?' });
    const answer = await chat(owner, workspace, { query, conversation_id: first.conversationId });
    expect(REFUSALS).toContain(answer.text);
  },
);
