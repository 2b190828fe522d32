import { MemoSite, type Person } from '../memo.fixture';
import { epub } from '../ingestion/extraction/office/office.fixture';
import { pdfkit } from '../ingestion/extraction/pdf/pdf.fixture';
import { type SearchResultResponse } from '../retrieval/search/search.dto';
import { form } from './uploads/uploads.fixture';

let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  site.startIngestion();
  owner = await site.person();
  workspace = await owner.newWorkspace();
});
afterAll(() => site?.stop());

it('tells what the text of a page lacks', async () => {
  const page =
    '<p>Shown words.</p><p style="display:none">hidden</p><img src="a.png"><img src="b.png" alt="A map">' +
    '<ruby>漢<rt>kan</rt></ruby>';
  const { report } = await owner.addDocument(workspace, form(page, 'page.html'));
  expect(report).toEqual({
    left_out: [
      { kind: 'hidden_text', count: 6, pages: [] },
      { kind: 'reading_aid', count: 3, pages: [] },
      { kind: 'picture', count: 2, pages: [] },
    ],
  });
});

it('tells of files that are attached to a PDF, and of pages of a book that are pictures', async () => {
  const file = await pdfkit({}, (document) => {
    document.text('See the attachment.').file(Buffer.from('attached'), { name: 'a.txt' });
  });
  const chapters = {
    'a.xhtml': '<html xmlns="http://www.w3.org/1999/xhtml"><p>Read</p></html>',
    'b.svg': '<svg/>',
  };
  const book = epub(chapters, Object.keys(chapters));
  const reports = [await owner.addDocument(workspace, form(file, 'invoice.pdf'))];
  reports.push(await owner.addDocument(workspace, form(book, 'book.epub')));
  expect(reports.map(({ report }) => report?.left_out)).toEqual([
    [{ kind: 'embedded_file', count: 1, pages: [] }],
    [{ kind: 'picture', count: 1, pages: [] }],
  ]);
});

it('tells nothing of a text that is whole', async () => {
  const { report } = await owner.addDocument(workspace, { title: 'Whole', text: 'Nothing is left out.' });
  expect(report).toEqual({ left_out: [] });
});

it('names the pages of a PDF that hold no text, and the page of a passage', async () => {
  const file = await pdfkit({ margin: 50 }, (document) => {
    document
      .text('The first page is about anchors.')
      .addPage()
      .addPage()
      .text('The third page is about buoys.');
  });
  const { id, report } = await owner.addDocument(workspace, form(file, 'pages.pdf'));
  expect(report).toEqual({ left_out: [{ kind: 'page_without_text', count: 1, pages: [2] }] });
  const { results } = await owner.json<{ results: SearchResultResponse[] }>('POST', `/${workspace}/search`, {
    query: 'buoys',
    document_ids: [id],
  });
  // One passage holds both pages; it begins on the first.
  expect(results.map(({ page }) => page)).toEqual([1]);
  const answer = await owner.call('POST', `/${workspace}/chat`, {
    query: 'What is the third page about? buoys',
    document_ids: [id],
  });
  await answer.text();
  const conversation = answer.headers.get('x-conversation-id')!;
  const { messages } = await owner.json<{ messages: { citations: { page: number; snippet: string }[] }[] }>(
    'GET',
    `/${workspace}/conversations/${conversation}`,
  );
  expect(messages[1]!.citations).toEqual([
    expect.objectContaining({ page: 3, snippet: 'The third page is about buoys.' }),
  ]);
});
