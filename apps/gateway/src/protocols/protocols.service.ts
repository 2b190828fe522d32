import { requireConnected } from '@inference/http';
import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { ProxyService } from '../proxy/proxy.service';
import { beginCall } from '../proxy/request/entrypoint';
import { ChatTranslation } from './chat/chat-translation';
import { readBody } from './json';
import { IGNORED_HEADER, ignoredHeader, type Protocol } from './protocol';

/** Serves requests of other protocols as chat completions. */
@Injectable()
export class ProtocolsService {
  constructor(private readonly proxies: ProxyService) {}

  /** Writes the response. Throws what ProxyService throws, and InvalidValueError for what cannot be carried over. */
  async serve(protocol: Protocol, request: Request, response: Response): Promise<void> {
    const call = beginCall(protocol.endpoint, request);
    const body = await readBody(request.body, () => requireConnected(response));
    call.model = body.fields.model;
    const { chat, isStream, ignored, writer } = protocol.read(body);
    if (ignored.length > 0) response.setHeader(IGNORED_HEADER, ignoredHeader(ignored));
    const translation = new ChatTranslation(writer(call.requestId), isStream, call.requestId);
    await this.proxies.proxy(call, Buffer.from(body.write(chat)), response, translation);
  }
}
