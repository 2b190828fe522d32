import { JsonFault, type JsonMember, readJson, requireConnected, type UniqueNames } from '@inference/http';
import { type OutputLimitField } from '@inference/serving';
import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { AdmissionService } from '../proxy/admission/admission.service';
import { type NativeCall } from '../proxy/native-call';
import { InvalidValueError } from '../proxy/request/request.errors';
import { ChatTranslators } from '../proxy/chat-translators';
import { IGNORED_HEADER, ignoredHeader } from '../proxy/ignored-fields';
import { ProxyService } from '../proxy/proxy.service';
import { beginCall } from '../proxy/request/entrypoint';
import { ChatTranslation } from './chat/chat-translation';
import { type Fields } from './fields';
import { readBody } from './json';
import { NATIVE_MESSAGES } from './messages/messages-native';
import { type Protocol } from './protocol';
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

  /** Writes the response. Throws what ProxyService throws, and InvalidValueError for what cannot be carried over. */
  async serve(protocol: Protocol, request: Request, response: Response): Promise<void> {
    const call = beginCall(protocol.endpoint, request);
    const body = await readBody(request.body, () => requireConnected(response));
    call.model = body.fields.model;
    const imposed = protocol.native.imposedOn(body.fields);
    const { chat, isStream, ignored, writer } = protocol.read(body);
    if (ignored.length > 0) response.setHeader(IGNORED_HEADER, ignoredHeader(ignored));
    const { outputLimitField } = await this.admissions.limitsOf(String(chat.model));
    limitAsModelDoes(chat, outputLimitField);
    const { reader, limitField, fields, headersOf } = protocol.native;
    const raw = request.body as Buffer;
    const native: NativeCall = {
      protocol: protocol.endpoint,
      reader,
      limitField,
      headers: headersOf(request),
      raw,
      members: () => membersOf(raw, fields),
      imposed,
    };
    const translation = new ChatTranslation(writer(call.requestId), isStream, call.requestId, native);
    await this.proxies.proxy(call, Buffer.from(body.write(chat)), response, translation);
  }
}

/** Where the values of fields are. Throws InvalidValueError for one given twice. */
export function membersOf(raw: Buffer, names: UniqueNames): readonly JsonMember[] {
  try {
    return readJson(raw, { names }).members;
  } catch (error) {
    if (!(error instanceof JsonFault) || error.path === undefined) throw error;
    throw new InvalidValueError({ path: error.path, message: error.problem });
  }
}

/** Moves the limit of the client to the field that the model takes it in. */
function limitAsModelDoes(chat: Fields, field: OutputLimitField = 'max_tokens'): void {
  const { max_tokens: limit } = chat;
  if (limit === undefined || field === 'max_tokens') return;
  delete chat.max_tokens;
  chat[field] = limit;
}
