import { requireConnected } from '@inference/http';
import { type OutputLimitField } from '@inference/serving';
import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { AdmissionService } from '../proxy/admission/admission.service';
import { type NativeCall } from '../proxy/native-call';
import { ChatTranslators } from '../proxy/chat-translators';
import { IGNORED_HEADER, ignoredHeader } from '../proxy/ignored-fields';
import { ProxyService } from '../proxy/proxy.service';
import { beginCall } from '../proxy/request/entrypoint';
import { ChatTranslation } from './chat/chat-translation';
import { type Fields } from './fields';
import { membersOf, readBody } from './json';
import { NATIVE_MESSAGES } from './messages/messages-native';
import { type Conversations, type Protocol, type SentRequest } from './protocol';
import { NATIVE_RESPONSES } from './responses/responses-native';

/** Serves requests of other protocols: as they are, or as chat completions. */
@Injectable()
export class ProtocolsService {
  constructor(
    private readonly proxies: ProxyService,
    private readonly admissions: AdmissionService,
    translators: ChatTranslators,
  ) {
    translators.add('messages', NATIVE_MESSAGES.forChat);
    translators.add('responses', NATIVE_RESPONSES.forChat);
  }

  /**
   * Writes the response. Throws what ProxyService throws, and InvalidValueError for what cannot be carried over.
   * @param conversations that a request may go on with; without them none is stored
   */
  async serve(
    protocol: Protocol,
    request: Request,
    response: Response,
    conversations?: Conversations,
  ): Promise<void> {
    const call = beginCall(protocol.endpoint, request);
    const given = await readBody(request.body, () => requireConnected(response));
    call.model = given.fields.model;
    const imposed = protocol.native.imposedOn(given.fields);
    const sent: SentRequest = { body: given, raw: request.body as Buffer };
    const { body, raw, keeper } = conversations ? await conversations.open(call, sent, response) : sent;
    const { chat, isStream, ignored, hasServerTools, writer } = protocol.read(body);
    if (ignored.length > 0) response.setHeader(IGNORED_HEADER, ignoredHeader(ignored));
    const { outputLimitField } = await this.admissions.limitsOf(String(chat.model));
    limitAsModelDoes(chat, outputLimitField);
    const { reader, limitField, fields, headersOf } = protocol.native;
    const native: NativeCall = {
      protocol: protocol.endpoint,
      reader,
      limitField,
      headers: headersOf(request),
      raw,
      hasServerTools,
      members: () => membersOf(raw, fields),
      imposed,
    };
    const translation = new ChatTranslation(writer(call.requestId), isStream, call.requestId, native, keeper);
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
