import { type UploadCall } from '../../../api/send-file';
import { type Upload, UploadQueue } from './upload-queue';

interface Sent {
  upload: Upload;
  call: UploadCall;
  arrive: () => void;
  fail: (error: Error) => void;
}

const file = (name: string) => ({ name }) as File;
/** Lets the queue see what has happened to its calls. */
const settle = () => new Promise(setImmediate);

function start(names: string[]) {
  const sent: Sent[] = [];
  const queue = new UploadQueue(
    (upload, call) =>
      new Promise<void>((resolve, reject) => {
        call.signal.addEventListener('abort', () => reject(new Error('aborted')));
        sent.push({ upload, call, arrive: resolve, fail: reject });
      }),
  );
  queue.add(names.map(file));
  const states = () => queue.getUploads().map((upload) => `${upload.file.name} ${upload.state}`);
  return { queue, sent, states };
}

it('sends two files at once, and the next one when one has arrived', async () => {
  const { sent, states } = start(['a', 'b', 'c']);
  expect(states()).toEqual(['a sending', 'b sending', 'c waiting']);
  sent[0]!.arrive();
  await settle();
  expect(states()).toEqual(['b sending', 'c sending']);
});

it('says how much was sent', () => {
  const { queue, sent } = start(['a']);
  sent[0]!.call.onProgress(7);
  expect(queue.getUploads()[0]!.sentBytes).toBe(7);
});

it('keeps a failed file, goes on with the others, and sends it again on demand', async () => {
  const { queue, sent, states } = start(['a', 'b', 'c']);
  sent[0]!.fail(new Error('too large'));
  await settle();
  expect(states()).toEqual(['a failed', 'b sending', 'c sending']);
  expect(queue.getUploads()[0]!.error).toEqual(new Error('too large'));
  queue.retry(queue.getUploads()[0]!.id);
  sent[1]!.arrive();
  await settle();
  expect(states()).toEqual(['a sending', 'c sending']);
});

it('ends the call of a cancelled file and goes on', async () => {
  const { queue, sent, states } = start(['a', 'b', 'c']);
  queue.cancel(queue.getUploads()[0]!.id);
  await settle();
  expect(sent[0]!.call.signal.aborted).toBe(true);
  expect(states()).toEqual(['b sending', 'c sending']);
  queue.cancelAll();
  await settle();
  expect(sent.map(({ call }) => call.signal.aborted)).toEqual([true, true, true]);
  expect(states()).toEqual([]);
});
