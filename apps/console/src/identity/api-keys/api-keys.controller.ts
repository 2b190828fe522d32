import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import {
  ApiKeyListResponse,
  ApiKeyPath,
  ApiKeyResponse,
  CreateApiKeyDto,
  CreatedApiKeyResponse,
  RotateApiKeyDto,
  UpdateApiKeyDto,
} from './api-keys.dto';
import { ApiKeysService } from './api-keys.service';
import { CurrentKeyManager, type KeyManager } from './management-keys';

const BEYOND_RULES = 'A management key may not do this; the code is `management_key_exceeded`.';

@Controller('api/api-keys')
@ApiTags('API keys')
@Accepts('session', 'management_key')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'createApiKey',
    summary: 'Makes an API key.',
    description:
      'The answer is the only one that contains the secret. Limits that a management key leaves out are those that it has itself.',
  })
  @ApiCreatedResponse({ description: 'The new key with its secret.', type: CreatedApiKeyResponse })
  @ApiErrors({ 403: BEYOND_RULES, 409: 'The account has 100 keys.' })
  create(
    @CurrentKeyManager() manager: KeyManager,
    @Body() body: CreateApiKeyDto,
  ): Promise<CreatedApiKeyResponse> {
    return this.apiKeys.create(manager, body);
  }

  @Get()
  @ApiOperation({
    operationId: 'listApiKeys',
    summary: 'Lists the account’s keys without their secrets.',
    description: 'A management key sees those of kind `api`.',
  })
  @ApiOkResponse({ description: 'All keys.', type: ApiKeyListResponse })
  async list(@CurrentCaller() caller: Caller): Promise<ApiKeyListResponse> {
    return { api_keys: await this.apiKeys.list(caller) };
  }

  @Patch(':id')
  @ApiOperation({
    operationId: 'updateApiKey',
    summary: 'Changes a key.',
    description:
      'Absent fields do not change. Limits apply within a second to every call that begins then. A limit below what was spent stops the key. A management key may describe and disable every key of kind `api`, and make other changes to those that then keep to its limits.',
  })
  @ApiOkResponse({ description: 'The changed key.', type: ApiKeyResponse })
  @ApiErrors({ 403: BEYOND_RULES, 404: 'The account has no such key.' })
  update(
    @CurrentKeyManager() manager: KeyManager,
    @Param() { id }: ApiKeyPath,
    @Body() body: UpdateApiKeyDto,
  ): Promise<ApiKeyResponse> {
    return this.apiKeys.update(manager, id, body);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'rotateApiKey',
    summary: 'Gives a key a new secret.',
    description:
      'The answer is the only one that contains it. The former secret works on for the chosen time; without one it stops within a second. One that an earlier rotation has replaced ends. The owner gets a mail.',
  })
  @ApiOkResponse({ description: 'The key with its new secret.', type: CreatedApiKeyResponse })
  @ApiErrors({ 403: BEYOND_RULES, 404: 'The account has no such key.' })
  rotate(
    @CurrentKeyManager() manager: KeyManager,
    @Param() { id }: ApiKeyPath,
    @Body() body: RotateApiKeyDto,
  ): Promise<CreatedApiKeyResponse> {
    return this.apiKeys.rotate(manager, id, body);
  }

  @Delete(':id')
  @Accepts('session')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteApiKey',
    summary: 'Deletes a key.',
    description: 'It stops working within a second.',
  })
  @ApiNoContentResponse({ description: 'The key is deleted.' })
  @ApiErrors({ 404: 'The account has no such key.' })
  delete(@CurrentActor() actor: Actor, @Param() { id }: ApiKeyPath): Promise<void> {
    return this.apiKeys.delete(actor, id);
  }
}
