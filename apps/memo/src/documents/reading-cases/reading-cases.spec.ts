import { type MediaType } from '../../tables/media-type';
import { builtThread, textOf } from '../../ingestion/extraction-thread/extraction-thread.fixture';
import { READ_FILES } from './own-files.fixture';
import { READ_PDFS } from './own-pdfs.fixture';
import { READ_TEXTS } from './own-texts.fixture';
import { comparable, wrongIn } from './reading-case.fixture';

const TYPES: Record<string, MediaType> = {
  md: 'text/markdown',
  html: 'text/html',
  pdf: 'application/pdf',
};
const CASES = [...READ_FILES, ...READ_PDFS, ...READ_TEXTS];

const extractor = builtThread();
afterAll(() => extractor.close());

it.each(CASES.map((one) => [one.kind, one.id, one] as const))(
  'reads %s/%s',
  async (_kind, _id, { name, content, expect: right }) => {
    const text = await textOf(extractor, content!, TYPES[name!.split('.').at(-1)!]!);
    const wrong = wrongIn(comparable(text), right);
    expect({ wrong, text: wrong.length ? text : '' }).toEqual({ wrong: [], text: '' });
  },
);
