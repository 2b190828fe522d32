import { parentPort, workerData } from 'node:worker_threads';
import { parseJsonUpload } from './json-upload';

/** Parses one body, which is the worker data, and posts the result. */
const result = parseJsonUpload(workerData as Uint8Array);
parentPort!.postMessage(result, 'text' in result ? [result.text.buffer as ArrayBuffer] : []);
