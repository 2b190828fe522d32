import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitFor } from '@inference/testing';
import { MemoSite, type Person } from '../../memo.fixture';
import { type DocumentResponse } from '../document.dto';
import { form } from '../uploads/uploads.fixture';
import { OWN_FILES } from './own-files.fixture';
import { OWN_PDFS } from './own-pdfs.fixture';
import { OWN_TEXTS } from './own-texts.fixture';
import { comparable, type ReadingCase, wrongIn } from './reading-case.fixture';

interface Reading {
  workspace: string;
  document: DocumentResponse;
  text: string;
}

const FILES = join(__dirname, 'files');
const SHARED = (
  JSON.parse(readFileSync(join(FILES, 'cases.json'), 'utf8')) as {
    documents: (ReadingCase & { file?: string })[];
  }
).documents.map(({ file, ...one }): ReadingCase =>
  file ? { ...one, name: basename(file), content: readFileSync(join(FILES, file)) } : one,
);
const CASES = [...SHARED, ...OWN_FILES, ...OWN_PDFS, ...OWN_TEXTS];
/** Uploads that wait at the same time. */
const UPLOADS = 8;
/** Three hundred documents take 20 seconds on a free machine. */
const SETUP_LIMIT_MS = 300_000;

let site: MemoSite;
let owner: Person;
const readings = new Map<string, Reading>();

beforeAll(async () => {
  site = await MemoSite.start({
    environment: { MAX_ACCOUNT_WORKSPACES: '1000', RATE_LIMIT_MULTIPLIER: '100' },
  });
  site.startIngestion();
  site.startIngestion();
  owner = await site.person();
  const waiting = [...CASES];
  await Promise.all(Array.from({ length: UPLOADS }, () => readAll(waiting)));
}, SETUP_LIMIT_MS);
afterAll(() => site?.stop());

async function readAll(waiting: ReadingCase[]): Promise<void> {
  for (let one = waiting.shift(); one; one = waiting.shift()) readings.set(one.id, await read(one));
}

async function read({ json, name, content }: ReadingCase): Promise<Reading> {
  const workspace = await owner.newWorkspace();
  const path = `/${workspace}/documents`;
  const { id } = await owner.json<DocumentResponse>('POST', path, json ?? form(content!, name!), 201);
  const document = await waitFor(async () => {
    const found = await owner.json<DocumentResponse>('GET', `${path}/${id}`);
    return (found.status === 'ready' || found.status === 'failed') && found;
  }, SETUP_LIMIT_MS);
  const response = await owner.call('GET', `/${workspace}/documents/${document.id}/text`);
  return { workspace, document, text: response.ok ? comparable(await response.text()) : '' };
}

async function isFound(workspace: string, query: string): Promise<boolean> {
  const { results } = await owner.json<{ results: unknown[] }>('POST', `/${workspace}/search`, { query });
  return results.length > 0;
}

it.each(CASES.map((one) => [one.kind, one.id, one] as const))(
  'reads %s/%s',
  async (_kind, id, { expect: right }) => {
    const { workspace, document, text } = readings.get(id)!;
    const wrong: string[] = [];
    if (document.status !== (right.status ?? 'ready'))
      wrong.push(`${document.status} ${document.error?.code ?? ''}`);
    if (document.status === 'failed' && !document.error!.message) wrong.push('no reason');
    wrong.push(...wrongIn(text, right));
    for (const query of right.found_by ?? [])
      if (!(await isFound(workspace, query))) wrong.push(`not found by ${query}`);
    for (const query of right.not_found_by ?? [])
      if (await isFound(workspace, query)) wrong.push(`found by ${query}`);
    expect({ wrong, text: wrong.length ? text.slice(0, 300) : '' }).toEqual({ wrong: [], text: '' });
  },
);
