import {
  AnyQuery,
  BodyAs,
  JsonFault,
  Public,
  readJsonInSlices,
  UnavailableException,
  withoutByteOrderMark,
} from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import {
  BadRequestException,
  Controller,
  Headers,
  HttpCode,
  Inject,
  NotFoundException,
  Post,
  Req,
} from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { z } from 'zod';
import { type Origin, RequestOrigin } from '../../accounts/audit-log/actor';
import { API_KEYS_CONFIG, type ApiKeysConfig } from '../../identity/identity.config';
import { LeakedKeyVerdict } from './leaked-keys.dto';
import { LeakedKeysService, type LeakedSecret } from './leaked-keys.service';
import { ScannerKeys, ScannerKeysUnavailableError } from './scanner-keys';

const KEY_IDENTIFIER = 'Github-Public-Key-Identifier';
const SIGNATURE = 'Github-Public-Key-Signature';
/** Some thousand secrets. */
const MAX_REPORT_BYTES = 1_048_576;

/** Further members are allowed: the protocol is the scanner's. */
const report = z.array(
  z.object({
    token: z.string().min(1),
    type: z.string().default(''),
    url: z
      .string()
      .nullish()
      .transform((url) => url ?? ''),
    source: z
      .string()
      .nullish()
      .transform((source) => source ?? ''),
  }),
);

const text = { type: 'string' } as const;
const REPORT = {
  type: 'array',
  items: {
    type: 'object',
    required: ['token'],
    properties: {
      token: { ...text, description: 'The secret that was found.' },
      type: { ...text, description: 'The name under which the scanner knows such secrets.' },
      url: { ...text, nullable: true, description: 'Where it was found.' },
      source: { ...text, nullable: true, example: 'commit' },
    },
    additionalProperties: true,
  },
} as const;

@Controller('api/keys')
@ApiTags('API keys')
export class LeakedKeysController {
  private readonly scanner: ScannerKeys | null;

  constructor(
    @Inject(API_KEYS_CONFIG) { scannerKeysUrl }: ApiKeysConfig,
    private readonly leakedKeys: LeakedKeysService,
  ) {
    this.scanner = scannerKeysUrl === undefined ? null : new ScannerKeys(scannerKeysUrl);
  }

  @Post('leaked')
  @HttpCode(200)
  @Public()
  @AnyQuery()
  @BodyAs('bytes', MAX_REPORT_BYTES)
  @ApiOperation({
    operationId: 'reportLeakedKeys',
    summary: 'Disables API keys that a secret scanning service found in public, and mails their owners.',
    description:
      'In the form of GitHub’s secret scanning partners: a list of secrets, signed by a key of the scanner. A secret that a rotation has replaced ends, and its key goes on.',
  })
  @ApiHeader({
    name: KEY_IDENTIFIER,
    required: false,
    schema: text,
    description: 'The key of the signature.',
  })
  @ApiHeader({
    name: SIGNATURE,
    required: false,
    schema: text,
    description: 'ECDSA on P-256 with SHA-256 over the bytes of the body: DER in Base64.',
  })
  @ApiBody({ schema: REPORT as never })
  @ApiOkResponse({
    type: LeakedKeyVerdict,
    isArray: true,
    description: 'A verdict for each different secret.',
  })
  @ApiErrors({
    400: 'The report is malformed, or its signature is missing or not the scanner’s.',
    404: 'This site takes no reports.',
    415: 'The encoding of the body is not supported.',
    503: 'The public keys of the scanner cannot be fetched now; send the report again.',
  })
  async receive(
    @Headers(KEY_IDENTIFIER) identifier: string | undefined,
    @Headers(SIGNATURE) signature: string | undefined,
    @Req() { body }: Request,
    @RequestOrigin() origin: Origin,
  ): Promise<LeakedKeyVerdict[]> {
    if (!this.scanner) throw new NotFoundException('this site takes no reports of leaked keys');
    const bytes = body as Buffer;
    if (!identifier || !signature)
      throw new BadRequestException(`the headers ${KEY_IDENTIFIER} and ${SIGNATURE} are required`);
    if (!(await this.isSigned(this.scanner, identifier, signature, bytes)))
      throw new BadRequestException('the signature is not one of the scanner over this body');
    return this.leakedKeys.report(await readReport(bytes), origin);
  }

  private async isSigned(
    scanner: ScannerKeys,
    identifier: string,
    signature: string,
    bytes: Buffer,
  ): Promise<boolean> {
    try {
      return await scanner.hasSigned(identifier, signature, bytes);
    } catch (error) {
      if (!(error instanceof ScannerKeysUnavailableError)) throw error;
      throw new UnavailableException(`${error.message}; send the report again`, 'scanner_keys_unavailable');
    }
  }
}

async function readReport(bytes: Buffer): Promise<LeakedSecret[]> {
  try {
    const { value } = await readJsonInSlices(withoutByteOrderMark(bytes));
    const parsed = report.safeParse(value);
    if (parsed.success) return parsed.data;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new BadRequestException(error.message);
  }
  throw new BadRequestException('the body must be an array of {token, type, url, source}');
}
