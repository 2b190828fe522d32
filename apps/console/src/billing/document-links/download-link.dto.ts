import { InstantProperty, TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';

/** A link that needs no credential. */
export class DownloadLinkResponse {
  @ApiProperty({
    description: 'Opens the download. Whoever has the link can use it until it expires.',
    format: 'uri',
    example: 'https://console.example.com/api/billing/receipts/pay_0Vc3kZ8dQ1mXw7RtYb2LsA/file?link=eyJhb',
  })
  url!: string;

  @InstantProperty({ description: 'When the link stops working.' })
  expires_at!: string;
}

export class LinkQuery {
  @TextField({ description: 'From the link. It replaces a credential.', maxLength: 2_000, example: 'eyJhb' })
  link!: string;
}
