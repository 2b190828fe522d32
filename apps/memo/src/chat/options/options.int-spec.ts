import { form } from '../../documents/uploads/uploads.fixture';
import { MemoSite, type Person } from '../../memo.fixture';
import { type TopicListResponse } from './options.dto';
import { topicsOf } from './topics';

let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start({
    environment: { MAX_DOCUMENT_BYTES: '1000', MAX_WORKSPACE_DOCUMENTS: '9', MAX_WORKSPACE_BYTES: '5000' },
  });
  site.startIngestion();
  owner = await site.person();
  workspace = await owner.newWorkspace();
});
afterAll(() => site?.stop());

const OOXML = 'application/vnd.openxmlformats-officedocument';

it('names the limits of uploads, the formats, and the models', async () => {
  expect(await owner.json('GET', `/${workspace}/options`)).toEqual({
    ...{ max_document_bytes: 1000, max_documents: 9, max_bytes: 5000, max_chosen_documents: 100 },
    ...{ chat_model: null, embedding_model: null },
    formats: [
      {
        media_type: 'text/plain',
        extensions: expect.arrayContaining(['txt', 'log', 'jsonl', 'ipynb', 'py']) as string[],
      },
      { media_type: 'text/markdown', extensions: ['md', 'markdown', 'mdx', 'mdown', 'mkd', 'qmd', 'rmd'] },
      { media_type: 'text/html', extensions: ['html', 'htm', 'xhtml'] },
      { media_type: 'application/pdf', extensions: ['pdf'] },
      { media_type: `${OOXML}.wordprocessingml.document`, extensions: ['docx', 'docm'] },
      { media_type: `${OOXML}.spreadsheetml.sheet`, extensions: ['xlsx', 'xlsm'] },
      { media_type: `${OOXML}.presentationml.presentation`, extensions: ['pptx', 'ppsx', 'pptm'] },
      { media_type: 'application/vnd.oasis.opendocument.text', extensions: ['odt'] },
      { media_type: 'application/epub+zip', extensions: ['epub'] },
      { media_type: 'text/csv', extensions: ['csv', 'tsv'] },
      { media_type: 'application/rtf', extensions: ['rtf'] },
      { media_type: 'message/rfc822', extensions: ['eml', 'mht', 'mhtml'] },
      { media_type: 'application/vnd.ms-outlook', extensions: ['msg'] },
    ],
  });
  const replica = await site.startReplica({ CHAT_MODEL: 'writer', EMBEDDING_MODEL: 'meaning' });
  expect(await owner.at(replica.url).json('GET', `/${workspace}/options`)).toMatchObject({
    ...{ chat_model: 'writer', embedding_model: 'meaning' },
  });
  expect((await (await site.person()).refusal('GET', `/${workspace}/options`))[0]).toBe(404);
});

it('finds the topics of the newest documents in their headings', async () => {
  const topics = async () =>
    (await owner.json<TopicListResponse>('GET', `/${workspace}/topics`)).topics.map(({ topic }) => topic);
  expect(await topics()).toEqual([]);
  await owner.addDocument(workspace, form('# Refund policy\n\nRefunds are issued in five days.', 'a.md'));
  await owner.addDocument(workspace, form('<h1>Shipping</h1><p>We ship on Mondays.</p>', 'b.html'));
  await owner.addDocument(workspace, form('Parcels are sent on Mondays.', 'parcels.txt'));
  await owner.addDocument(workspace, form(' ', 'blank.txt'));
  expect(await topics()).toEqual(['parcels', 'Shipping', 'Refund policy']);
  const other = await owner.newWorkspace();
  expect(await owner.json('GET', `/${other}/topics`)).toEqual({ topics: [] });
});

it('takes a title where no line is a heading, and each topic once', () => {
  const documents = [
    'Handbook\n\nWe meet on Mondays.',
    'We meet on Mondays.\nAnd on Fridays.',
    '员工手册\n每周一开会。',
    '每周一开会。\n周五也开。',
    '12\n34',
    `${'long '.repeat(20)}\ntext`,
    'HANDBOOK\n\nAnother one.',
    'Only one line',
  ].map((beginning, place) => ({ documentId: `doc_${place}`, title: `title ${place}.pdf`, beginning }));
  const found = topicsOf(documents, 10);
  expect(found.map(({ topic }) => topic)).toEqual([
    ...['Handbook', 'title 1', '员工手册', 'title 3', 'title 4', 'title 5', 'title 7'],
  ]);
  expect(found[0]!.document_id).toBe('doc_0');
  expect(topicsOf(documents, 2)).toEqual(found.slice(0, 2));
});
