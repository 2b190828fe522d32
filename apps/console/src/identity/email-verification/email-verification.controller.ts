import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { BodyOneOf } from '@inference/dto';
import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { CredentialAttempt } from '../../rate-limit/credential-attempt.decorator';
import { type Origin, RequestOrigin } from '../audit-log/request-origin';
import { AcceptedResponse } from './accepted.response';
import { RequestVerificationDto, VerifyEmailDto } from './email-verification.dto';
import { EmailVerificationService } from './email-verification.service';

@Controller('api/auth/email')
@ApiTags('Credentials')
export class EmailVerificationController {
  constructor(private readonly verification: EmailVerificationService) {}

  @Post('verify')
  @HttpCode(202)
  @Public()
  @CredentialAttempt()
  @ApiOperation({
    operationId: 'verifyEmail',
    summary: 'Confirms an e-mail address, or sends the mail for it.',
    description:
      'With the `token` of a mail the address of that mail is confirmed. With an `email` a mail is sent if an account with that address has not confirmed it yet; the answer does not show whether there is one.',
  })
  @ApiAcceptedResponse({
    description: 'The address is confirmed, or the mail is ordered.',
    type: AcceptedResponse,
  })
  @ApiErrors({ 400: 'A field is missing or malformed, or the token is unknown, used or older than a day.' })
  async verify(
    @BodyOneOf(VerifyEmailDto, RequestVerificationDto) body: VerifyEmailDto | RequestVerificationDto,
    @RequestOrigin() origin: Origin,
  ): Promise<AcceptedResponse> {
    if (body instanceof VerifyEmailDto) await this.verification.verify(body.token, origin);
    else await this.verification.requestVerification(body.email);
    return { status: 'accepted' };
  }
}
