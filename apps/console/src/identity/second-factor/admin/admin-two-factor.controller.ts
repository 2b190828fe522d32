import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { CredentialAttempt } from '../../../rate-limit/credential-attempt.decorator';
import { AccountPath } from '../../accounts/accounts.dto';
import { type Actor, CurrentActor } from '../../audit-log/actor';
import { AdminConfirmationDto } from './admin-confirmation.dto';
import { TwoFactorService } from '../two-factor.service';

@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@Roles('admin')
export class AdminTwoFactorController {
  constructor(private readonly twoFactor: TwoFactorService) {}

  @Post(':id/2fa/disable')
  @HttpCode(204)
  @CredentialAttempt()
  @ApiOperation({
    operationId: 'disableTwoFactorOfAccount',
    summary: 'Turns off the two factors of another account.',
    description:
      'For an owner who has lost the authenticator and the recovery codes. All sessions of the account end.',
  })
  @ApiNoContentResponse({ description: 'Two factors of the account are off.' })
  @ApiErrors({
    403: 'The caller is not an admin, the password or code is wrong, or the account is the admin’s own. An admin without a password has to sign in again first.',
    404: 'There is no such account.',
    409: 'Two factors of the account are not on.',
  })
  disable(
    @CurrentActor() admin: Actor,
    @Param() { id }: AccountPath,
    @Body() confirmation: AdminConfirmationDto,
  ): Promise<void> {
    return this.twoFactor.disableFor(id, admin, confirmation);
  }
}
