import { type Caller, CurrentCaller } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { IdentityListResponse, IdentityPath } from './identities.dto';
import { IdentitiesService } from './identities.service';

@Controller('api/auth/identities')
@ApiTags('Credentials')
export class IdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  @Get()
  @ApiOperation({
    operationId: 'listIdentities',
    summary: 'Lists the identities at providers with which the account signs in.',
  })
  @ApiOkResponse({ description: 'All identities.', type: IdentityListResponse })
  async list(@CurrentCaller() { accountId }: Caller): Promise<IdentityListResponse> {
    return { identities: await this.identities.list(accountId) };
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'unlinkIdentity',
    summary: 'Removes an identity.',
    description: 'The account’s other sessions end.',
  })
  @ApiNoContentResponse({ description: 'The identity is removed.' })
  @ApiErrors({
    404: 'The account has no such identity.',
    409: 'It is the only way to sign in to the account.',
  })
  unlink(@CurrentActor() actor: Actor, @Param() { id }: IdentityPath): Promise<void> {
    return this.identities.unlink(actor, id);
  }
}
