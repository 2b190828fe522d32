import { EmailField } from '@inference/dto';
import { MailTokenField } from '../mail-token';
import { PasswordField } from '../passwords/passwords.dto';

export class VerifyEmailDto {
  @MailTokenField({
    description: 'The token of the mail.',
    example: 'vrf_8Qm2vXc7Lk0ZpT5yWb3NsA1uRd6FhJe4gYi9oCxGtBq',
  })
  token!: string;

  @PasswordField({
    description: 'The password of the account. A request with a session of the account needs none.',
    optional: true,
  })
  password?: string;
}

export class RequestVerificationDto {
  @EmailField({ description: 'The address to send a mail with a token to.' })
  email!: string;
}
