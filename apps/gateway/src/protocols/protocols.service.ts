import { requireConnected } from '@inference/http';
import { type OutputLimitField } from '@inference/serving';
import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { AdmissionService } from '../proxy/admission/admission.service';
import { ProxyService } from '../proxy/proxy.service';
import { beginCall } from '../proxy/request/entrypoint';
import { ChatTranslation } from './chat/chat-translation';
import { type Fields } from './fields';
import { readBody } from './json';
import { IGNORED_HEADER, ignoredHeader, type Protocol } from './protocol';

/** Serves requests of other protocols as chat completions. */
@Injectable()
export class ProtocolsService {
  constructor(
    private readonly proxies: ProxyService,
    private readonly admissions: AdmissionService,
  ) {}

  /** Writes the response. Throws what ProxyService throws, and InvalidValueError for what cannot be carried over. */
  async serve(protocol: Protocol, request: Request, response: Response): Promise<void> {
    const call = beginCall(protocol.endpoint, request);
    const body = await readBody(request.body, () => requireConnected(response));
    call.model = body.fields.model;
    const { chat, isStream, ignored, writer } = protocol.read(body);
    if (ignored.length > 0) response.setHeader(IGNORED_HEADER, ignoredHeader(ignored));
    const { outputLimitField } = await this.admissions.limitsOf(String(chat.model));
    limitAsModelDoes(chat, outputLimitField);
    const translation = new ChatTranslation(writer(call.requestId), isStream, call.requestId);
    await this.proxies.proxy(call, Buffer.from(body.write(chat)), response, translation);
  }
}

/** Moves the limit of the client to the field that the model takes it in. */
function limitAsModelDoes(chat: Fields, field: OutputLimitField = 'max_tokens'): void {
  const { max_tokens: limit } = chat;
  if (limit === undefined || field === 'max_tokens') return;
  delete chat.max_tokens;
  chat[field] = limit;
}
