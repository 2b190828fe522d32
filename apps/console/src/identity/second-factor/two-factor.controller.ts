import { type Caller, CurrentCaller, SecondFactorSetup, StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountPath } from '../../accounts/accounts.dto';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { CredentialAttempt } from '../../rate-limit/rate-limits';
import {
  AdminConfirmationDto,
  ConfirmTwoFactorDto,
  EnableTwoFactorDto,
  RecoveryCodesResponse,
  TwoFactorSetupResponse,
} from './two-factor.dto';
import { TwoFactorService } from './two-factor.service';

const CONFIRM_ERRORS = {
  403: 'The password or the code is wrong. An account without a password has to sign in again first.',
  409: 'Two factors are not on, or the credentials of the account have just changed.',
};

@Controller('api/auth/2fa')
@ApiTags('Credentials')
export class TwoFactorController {
  constructor(private readonly twoFactor: TwoFactorService) {}

  @Post('setup')
  @SecondFactorSetup()
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'setUpTwoFactor',
    summary: 'Makes the secret of a new authenticator.',
    description: 'Each call replaces the secret of the call before, until a code enables it.',
  })
  @ApiOkResponse({
    description: 'The secret in three forms. It is shown only here.',
    type: TwoFactorSetupResponse,
  })
  @ApiErrors({
    403: 'The account does not exist any more, or it is staff’s, with a second factor of its provider that this session lacks.',
    409: 'Two factors are on already.',
  })
  setup(@CurrentCaller() caller: Caller): Promise<TwoFactorSetupResponse> {
    return this.twoFactor.setUp(caller);
  }

  @Post('enable')
  @SecondFactorSetup()
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'enableTwoFactor',
    summary: 'Turns two factors on with a code of the new authenticator.',
    description: 'The code is used up. The account’s other sessions end.',
  })
  @ApiOkResponse({ description: 'The first recovery codes.', type: RecoveryCodesResponse })
  @ApiErrors({
    400: 'The code is missing, malformed or not the one that the authenticator shows now.',
    403: 'The e-mail address of the account is not confirmed, or it is staff’s, with a second factor of its provider that this session lacks.',
    409: 'Nothing is set up, or two factors are on already.',
  })
  enable(
    @CurrentActor() actor: Actor,
    @CurrentCaller() caller: Caller,
    @Body() { code }: EnableTwoFactorDto,
  ): Promise<RecoveryCodesResponse> {
    return this.twoFactor.enable(actor, caller, code);
  }

  @Post('disable')
  @HttpCode(204)
  @CredentialAttempt()
  @ApiOperation({
    operationId: 'disableTwoFactor',
    summary: 'Turns two factors off.',
    description: 'The account’s other sessions end.',
  })
  @ApiNoContentResponse({ description: 'Two factors are off.' })
  @ApiErrors(CONFIRM_ERRORS)
  disable(@CurrentActor() actor: Actor, @Body() body: ConfirmTwoFactorDto): Promise<void> {
    return this.twoFactor.disable(actor, body);
  }

  @Post('recovery-codes')
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'replaceRecoveryCodes',
    summary: 'Makes new recovery codes.',
    description: 'The former codes stop working.',
  })
  @ApiOkResponse({ description: 'The new recovery codes.', type: RecoveryCodesResponse })
  @ApiErrors(CONFIRM_ERRORS)
  replaceRecoveryCodes(
    @CurrentActor() actor: Actor,
    @Body() body: ConfirmTwoFactorDto,
  ): Promise<RecoveryCodesResponse> {
    return this.twoFactor.replaceRecoveryCodes(actor, body);
  }
}

@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@StaffOnly()
export class AdminTwoFactorController {
  constructor(private readonly twoFactor: TwoFactorService) {}

  @Post(':id/2fa/disable')
  @HttpCode(204)
  @CredentialAttempt()
  @ApiOperation({
    operationId: 'disableTwoFactorOfAccount',
    summary: 'Turns off the two factors of another account.',
    description:
      'For an owner who has lost the authenticator and the recovery codes. All sessions of the account end. Those of staff are turned off by admins only.',
  })
  @ApiNoContentResponse({ description: 'Two factors of the account are off.' })
  @ApiErrors({
    403: 'The caller has neither the role admin nor support, the password or code is wrong, the account is the caller’s own, or it is staff’s and the caller no admin. A caller without a password has to sign in again first.',
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
