import { type Task } from '../task';
import { IMAGES } from './images';
import { MODERATION } from './moderation';
import { RERANK } from './rerank';
import { SPEECH } from './speech';

const LONG = 'x '.repeat(1_000);

const read = (task: Task, body: string) =>
  task.read(
    { bytes: Buffer.from(body), contentType: 'application/json', requireClient: () => undefined },
    () => undefined,
  );

describe('a name that is given twice', () => {
  it.each<[string, Task, string]>([
    ['query', RERANK, `"query":"${LONG}","query":"a","documents":["a"]`],
    ['documents', RERANK, `"query":"a","documents":["${LONG}"],"documents":["a"]`],
    ['documents.0.text', RERANK, `"query":"a","documents":[{"text":"${LONG}","text":"a"}]`],
    ['documents.1.body.of', RERANK, `"query":"a","documents":["a",{"body":{"of":"${LONG}","\\u006ff":"a"}}]`],
    ['input.0.text', MODERATION, `"input":[{"type":"text","text":"${LONG}","text":"a"}]`],
    ['input.0.image_url.url', MODERATION, '"input":[{"type":"image_url","image_url":{"url":"a","url":"b"}}]'],
    ['input', MODERATION, `"input":"${LONG}","input":"a"`],
    ['prompt', IMAGES, `"prompt":"${LONG}","prompt":"a"`],
    ['n', IMAGES, '"prompt":"a","n":9,"n":1'],
    ['input', SPEECH, `"input":"${LONG}","input":"a"`],
    ['model', SPEECH, '"input":"a","model":"n"'],
  ])('is refused: %s', async (path, task, fields) => {
    await expect(read(task, `{"model":"m",${fields}}`)).rejects.toMatchObject({
      param: path,
      message: expect.stringContaining('must be given once') as string,
    });
  });

  it('passes where nothing of it decides what is charged', async () => {
    const { model } = await read(RERANK, '{"model":"m","query":"a","documents":[],"x":1,"x":{"y":1,"y":2}}');
    expect(model).toBe('m');
  });
});
