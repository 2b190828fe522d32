import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { CreatedKeyResponse, CreateKeyDto, KeyListResponse, KeyPath } from './key.dto';
import { KeysService } from './keys.service';

/** Keys of a workspace, for programs that call with `X-API-Key`. A key cannot create or delete keys. */
@Controller('v1/workspaces/:workspace_id/keys')
@Accepts('session')
@ApiTags('Workspace keys')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Post()
  @ApiErrors({ 403: 'The role is above the caller’s own.', 409: 'The caller has 100 keys.' })
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'createWorkspaceKey',
    summary: 'Creates a key of a workspace.',
    description: 'The answer is the only one that contains the secret.',
  })
  @ApiCreatedResponse({ description: 'The new key with its secret.', type: CreatedKeyResponse })
  create(
    @CurrentMember() member: Member,
    @CurrentCaller() { sessionId }: Caller,
    @Body() body: CreateKeyDto,
  ): Promise<CreatedKeyResponse> {
    return this.keys.create(member, sessionId!, body);
  }

  @Get()
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'listWorkspaceKeys',
    summary: 'Lists the keys of a workspace without their secrets.',
    description: 'A member sees its own keys, an admin sees all keys.',
  })
  @ApiOkResponse({ description: 'A page of the list.', type: KeyListResponse })
  list(@CurrentMember() member: Member, @Query() query: PageQuery): Promise<KeyListResponse> {
    return this.keys.list(member, query);
  }

  @Delete(':key_id')
  @ApiErrors({ 404: 'The workspace has no such key that the caller may delete.' })
  @RequiresRole('viewer')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteWorkspaceKey',
    summary: 'Deletes a key, which stops working at once.',
    description: 'A member may delete its own keys, an admin all keys.',
  })
  @ApiNoContentResponse({ description: 'The key is deleted.' })
  remove(@CurrentMember() member: Member, @Param() { key_id: id }: KeyPath): Promise<void> {
    return this.keys.remove(member, id);
  }
}
