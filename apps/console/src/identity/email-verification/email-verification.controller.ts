import { BodyOneOf } from '@inference/dto';
import { ReadsCredential } from '@inference/guards';
import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { type Origin, RequestOrigin } from '../../accounts/audit-log/actor';
import { CredentialAttempt } from '../../rate-limit/rate-limits';
import { AcceptedResponse } from '../mail-token';
import { RequestVerificationDto, VerifyEmailDto } from './email-verification.dto';
import { EmailVerificationService } from './email-verification.service';

@Controller('api/auth/email')
@ApiTags('Credentials')
export class EmailVerificationController {
  constructor(private readonly verification: EmailVerificationService) {}

  @Post('verify')
  @HttpCode(202)
  @Public()
  @ReadsCredential()
  @CredentialAttempt()
  @ApiOperation({
    operationId: 'verifyEmail',
    summary: 'Confirms an e-mail address, or sends the mail for it.',
    description:
      'With the `token` of a mail the address of that mail is confirmed, for a request with a session of the account (`Authorization: Bearer`) that began within the last ten minutes, or with its password. With an `email` a mail is sent if an account with that address has not confirmed it yet; the answer does not show whether there is one.',
  })
  @ApiAcceptedResponse({
    description: 'The address is confirmed, or the mail is ordered.',
    type: AcceptedResponse,
  })
  @ApiErrors({
    400: 'A field is missing or malformed, or the token is unknown, used or older than a day.',
    403: 'The request has no session of the account that began within the last ten minutes, and its password is missing or wrong. The token stays valid.',
  })
  async verify(
    @BodyOneOf(VerifyEmailDto, RequestVerificationDto) body: VerifyEmailDto | RequestVerificationDto,
    @RequestOrigin() origin: Origin,
    @Req() { caller }: Request,
  ): Promise<AcceptedResponse> {
    if (body instanceof VerifyEmailDto) await this.verification.verify(body, caller, origin);
    else await this.verification.requestVerification(body.email);
    return { status: 'accepted' };
  }
}
