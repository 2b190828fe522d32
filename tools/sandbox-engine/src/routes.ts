import type { IncomingMessage, ServerResponse } from 'node:http';
import { NORMAL, withBehaviour } from './behaviour';
import { answerChat } from './endpoints/chat';
import { answerCompletion } from './endpoints/completions';
import { answerEmbeddings } from './endpoints/embeddings';
import { answerSpeech, answerTranscription } from './endpoints/audio';
import { answerImages, answerModeration, answerRerank } from './endpoints/tasks';
import { formFields, isForm, readBody } from './http/request-body';
import { ApiError, errorForStatus } from './http/errors';
import type { ModelRequest } from './endpoints/model-request';
import { findModel, MODEL_LIST_JSON, modelNotFound } from './endpoints/models';
import { sendError, sendJson } from './http/respond';
import type { ServedCounters } from './served-counters';
import { type JsonObject, missing, parseBody, wrongType } from './http/validation';

export interface Engine {
  apiKey: string | undefined;
  /** The delay before every token of a stream whose behaviour sets none. Undefined: all tokens are written at once. */
  streamDelayMs: number | undefined;
  served: ServedCounters;
}

type Handler = (engine: Engine, req: IncomingMessage, res: ServerResponse) => void;

interface Route {
  method: 'GET' | 'POST';
  needsKey: boolean;
  handle: Handler;
}

const ROUTES = new Map<string, Route>([
  ['/v1/chat/completions', modelRoute(answerChat)],
  ['/v1/completions', modelRoute(answerCompletion)],
  ['/v1/embeddings', modelRoute(answerEmbeddings)],
  ['/v1/rerank', modelRoute(answerRerank)],
  ['/v1/images/generations', modelRoute(answerImages)],
  ['/v1/audio/transcriptions', modelRoute(answerTranscription)],
  ['/v1/audio/translations', modelRoute(answerTranscription)],
  ['/v1/audio/speech', modelRoute(answerSpeech)],
  ['/v1/moderations', modelRoute(answerModeration)],
  [
    '/v1/models',
    { method: 'GET', needsKey: true, handle: (_engine, _req, res) => sendJson(res, 200, MODEL_LIST_JSON) },
  ],
  [
    '/healthz',
    { method: 'GET', needsKey: false, handle: (_engine, _req, res) => sendJson(res, 200, '{"status":"ok"}') },
  ],
  ['/_sandbox/served', { method: 'GET', needsKey: false, handle: sendServed }],
  ['/_sandbox/reset', { method: 'POST', needsKey: false, handle: resetServed }],
]);

/** Answers one request. Never throws. */
export function answer(engine: Engine, req: IncomingMessage, res: ServerResponse): void {
  const { method = '', url = '' } = req;
  const path = url.includes('?') ? url.slice(0, url.indexOf('?')) : url;
  const route = ROUTES.get(path);
  if (route === undefined) {
    sendError(res, new ApiError(404, `Invalid URL (${method} ${path})`, null, 'unknown_url'));
  } else if (route.method !== method) {
    const message = `Not allowed to ${method} on ${path} (HINT: Perhaps you meant to use a different HTTP method?)`;
    sendError(res, new ApiError(405, message, null, 'method_not_allowed'), ['Allow', route.method]);
  } else if (route.needsKey && !hasKey(engine, req)) {
    sendError(res, errorForStatus(401), ['WWW-Authenticate', 'Bearer']);
  } else {
    route.handle(engine, req, res);
  }
}

function hasKey({ apiKey }: Engine, req: IncomingMessage): boolean {
  if (apiKey === undefined) return true;
  const { authorization = '' } = req.headers;
  return /^bearer /i.test(authorization) && authorization.slice('bearer '.length).trim() === apiKey;
}

function sendServed({ served }: Engine, _req: IncomingMessage, res: ServerResponse): void {
  sendJson(res, 200, JSON.stringify(served.snapshot()));
}

function resetServed(engine: Engine, req: IncomingMessage, res: ServerResponse): void {
  engine.served.reset();
  sendServed(engine, req, res);
}

function modelRoute(answerModel: (request: ModelRequest) => void): Route {
  const handle: Handler = (engine, req, res) => {
    readBody(req, (outcome) => {
      if (outcome === 'too large') {
        const error = new ApiError(413, 'The body of your request is too large.', null, 'request_too_large');
        sendError(res, error, ['Connection', 'close']);
        return;
      }
      const { served, streamDelayMs } = engine;
      served.countRequest();
      res.once('close', () => {
        if (!res.writableFinished) served.countAborted();
      });
      const refuse = (error: unknown): void => {
        if (!(error instanceof ApiError)) process.stderr.write(`${String(error)}\n`);
        sendError(res, error instanceof ApiError ? error : errorForStatus(500));
      };
      const sandboxHeader = req.headers['x-sandbox'];
      const bytes = outcome.body.length;
      const answerBody = (body: JsonObject): void =>
        answerModelRequest(answerModel, { body, bytes, sandboxHeader, res, served, streamDelayMs });
      const type = req.headers['content-type'] ?? '';
      if (isForm(type)) {
        formFields(outcome.body, type).then(answerBody).catch(refuse);
        return;
      }
      try {
        answerBody(parseBody(outcome.body.toString('utf8')));
      } catch (error) {
        refuse(error);
      }
    });
  };
  return { method: 'POST', needsKey: true, handle };
}

/** A model request as received. */
interface RawRequest {
  body: JsonObject;
  bytes: number;
  sandboxHeader: string | string[] | undefined;
  res: ServerResponse;
  served: ServedCounters;
  streamDelayMs: number | undefined;
}

function answerModelRequest(answerModel: (request: ModelRequest) => void, raw: RawRequest): void {
  const { body, res, served, streamDelayMs } = raw;
  const name = body['model'];
  if (name === undefined) throw missing('model');
  if (typeof name !== 'string') throw wrongType('model', 'a string', name);
  const model = findModel(name);
  const named = model?.behaviour ?? NORMAL;
  const behaviour =
    raw.sandboxHeader === undefined ? named : withBehaviour(named, String(raw.sandboxHeader).split(/[;,]/));
  // A failure that is set by the header applies to any model name.
  if (behaviour.instead !== undefined) {
    insteadOfAnswer(behaviour.instead, behaviour.retryAfterSeconds, res);
    return;
  }
  if (model === undefined) throw modelNotFound(name);
  answerModel({ body, bodyBytes: raw.bytes, model, behaviour, res, served, streamDelayMs });
}

function insteadOfAnswer(
  instead: NonNullable<ModelRequest['behaviour']['instead']>,
  retryAfterSeconds: number,
  res: ServerResponse,
): void {
  if (instead.kind === 'drop') {
    res.socket?.destroy();
  } else if (instead.kind === 'status') {
    const retry = instead.status === 429 || instead.status === 503;
    sendError(res, errorForStatus(instead.status), retry ? ['Retry-After', String(retryAfterSeconds)] : []);
  }
}
