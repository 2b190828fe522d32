import { Injectable } from '@nestjs/common';
import { type GatewayError } from '../errors/openai-error';
import { type NativeProtocol } from '../upstreams/upstream';
import { type TranslatedCall } from '../upstreams/upstream-request';
import { InvalidValueError } from './request/request.errors';

/**
 * Puts a chat completion in the words of a protocol. Throws InvalidValueError, which names what cannot be carried over.
 * @param outputTokens the longest answer that was admitted
 */
export type ChatTranslator = (raw: Buffer, outputTokens: number) => Promise<TranslatedCall>;

/** Chat completions for upstreams that do not speak them. */
@Injectable()
export class ChatTranslators {
  private readonly translators = new Map<NativeProtocol, ChatTranslator>();

  /** Adds what a protocol says of itself. */
  add(protocol: NativeProtocol, translator: ChatTranslator): void {
    this.translators.set(protocol, translator);
  }

  /** The error says what cannot be carried over. */
  async translate(
    protocol: NativeProtocol,
    raw: Buffer,
    outputTokens: number,
  ): Promise<TranslatedCall | GatewayError> {
    try {
      return await this.translators.get(protocol)!(raw, outputTokens);
    } catch (error) {
      if (error instanceof InvalidValueError) return error;
      throw error;
    }
  }
}
