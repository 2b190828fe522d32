import { Controller, Delete, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../audit-log/actor';
import { type ApiKeyView, type CreatedApiKeyView, newApiKey, type NewApiKey } from './api-keys.dto';
import { ApiKeysService } from './api-keys.service';

@Controller('api/api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  create(@CurrentActor() actor: Actor, @ValidBody(newApiKey) body: NewApiKey): Promise<CreatedApiKeyView> {
    return this.apiKeys.create(actor, body);
  }

  /** The account's keys, newest first. */
  @Get()
  async list(@CurrentCaller() caller: Caller): Promise<{ api_keys: ApiKeyView[] }> {
    return { api_keys: await this.apiKeys.list(caller.accountId) };
  }

  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    return this.apiKeys.delete(actor, id);
  }
}
