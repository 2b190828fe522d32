import { BodyOneOf } from '@inference/dto';
import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Header, HttpCode, Post, Put } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor, type Origin, RequestOrigin } from '../../accounts/audit-log/actor';
import { CredentialAttempt } from '../../rate-limit/rate-limits';
import { AcceptedResponse } from '../mail-token';
import {
  ChangePasswordDto,
  ForgottenPasswordByEmailDto,
  ForgottenPasswordDto,
  ResetPasswordDto,
} from './passwords.dto';
import { PasswordsService } from './passwords.service';

const ACCEPTED = { status: 'accepted' } as const;

@Controller('api/auth/password')
@ApiTags('Credentials')
export class PasswordsController {
  constructor(private readonly passwords: PasswordsService) {}

  @Post('forgot')
  @HttpCode(202)
  @Public()
  @CredentialAttempt()
  @ApiOperation({
    operationId: 'requestPasswordReset',
    summary: 'Sends a mail with a token that resets the password.',
    description: 'The answer is always the same, so that it does not show whether there is such an account.',
  })
  @ApiAcceptedResponse({ description: 'The mail is ordered.', type: AcceptedResponse })
  async forgot(
    @BodyOneOf(ForgottenPasswordDto, ForgottenPasswordByEmailDto)
    body: ForgottenPasswordDto | ForgottenPasswordByEmailDto,
    @RequestOrigin() origin: Origin,
  ): Promise<AcceptedResponse> {
    const identifier = body instanceof ForgottenPasswordDto ? body.identifier : body.email;
    await this.passwords.requestReset(identifier, origin);
    return ACCEPTED;
  }

  @Post('reset')
  @HttpCode(202)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'resetPassword',
    summary: 'Sets a new password with the token of a mail.',
    description:
      'All sessions end. The reset also confirms the address of the mail. API keys, workspace keys, identities and a second factor that were made before the address was first confirmed are deleted: all of them if the reset is the first confirmation. A mail says what was deleted.',
  })
  @ApiAcceptedResponse({ description: 'The password is set.', type: AcceptedResponse })
  @ApiErrors({
    400: 'A field is missing or malformed, the password is too common or names the account, or the token is unknown, used or older than an hour.',
  })
  async reset(@Body() body: ResetPasswordDto, @RequestOrigin() origin: Origin): Promise<AcceptedResponse> {
    await this.passwords.reset(body, origin);
    return ACCEPTED;
  }

  @Put()
  @HttpCode(204)
  @CredentialAttempt()
  @ApiOperation({
    operationId: 'changePassword',
    summary: 'Changes the password.',
    description: 'The account’s other sessions end.',
  })
  @ApiNoContentResponse({ description: 'The password is changed.' })
  @ApiErrors({
    400: 'A field is missing or malformed, or the new password is too common or names the account.',
    403: 'The present password is wrong. An account without a password has to sign in again first.',
    409: 'The account has no password yet, or its credentials have just changed.',
  })
  change(@CurrentActor() actor: Actor, @Body() body: ChangePasswordDto): Promise<void> {
    return this.passwords.change(actor, body);
  }
}
