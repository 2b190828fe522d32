import { RequestHeaders } from '@inference/dto';
import { StaffOnly } from '@inference/guards';
import { BodyAs } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { MAX_PART_BYTES } from '@inference/storage';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Request } from 'express';
import { ListOrCsv } from '../../../../lists/csv-list';
import { type Actor, CurrentActor } from '../../../../accounts/audit-log/actor';
import {
  BeginUploadDto,
  UploadListResponse,
  UploadPartHeaders,
  UploadPartPath,
  UploadPath,
  UploadResponse,
} from './package-uploads.dto';
import { PackageUploadsService } from './package-uploads.service';

const NO_UPLOAD = 'The caller has no such upload, or it was given up.';

@Controller('api/admin/package-uploads')
@ApiTags('Administration of models')
@StaffOnly()
export class PackageUploadsController {
  constructor(private readonly uploads: PackageUploadsService) {}

  @Post()
  @ApiOperation({
    operationId: 'beginPackageUpload',
    summary: 'Begins the upload of a package in parts, which can be resumed.',
    description:
      'The upload is given up when no part has arrived for seven days. Customers see nothing of the package before its version is published.',
  })
  @ApiCreatedResponse({
    description: 'The upload, with the size and number of its parts.',
    type: UploadResponse,
  })
  @ApiErrors({
    409: 'The version is stored already, or was published and removed.',
    413: 'The package is larger than the site allows.',
  })
  begin(@CurrentActor() admin: Actor, @Body() body: BeginUploadDto): Promise<UploadResponse> {
    return this.uploads.begin(admin, body);
  }

  @Get()
  @ApiOperation({
    operationId: 'listPackageUploads',
    summary: "Lists the caller's 20 newest unfinished uploads.",
  })
  @ListOrCsv({
    description: 'The uploads in the states `uploading` and `completing`.',
    type: UploadListResponse,
    rows: 'uploads',
    columns:
      'id slug version file_name size_bytes sha256 file_modified_at state part_bytes parts arrived_parts error.code error.message created_at expires_at'.split(
        ' ',
      ),
  })
  async list(@CurrentActor() { accountId }: Actor): Promise<UploadListResponse> {
    return { uploads: await this.uploads.list(accountId) };
  }

  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getPackageUpload',
    summary: 'Returns an upload of the caller: its parts that have arrived, and its result.',
    description:
      'A failed upload can be read for `DOWNLOAD_LINK_TTL_SECONDS` at least; a complete one as long as its package exists.',
  })
  @ApiOkResponse({ description: 'The upload.', type: UploadResponse })
  @ApiErrors({ 404: NO_UPLOAD })
  find(@CurrentActor() { accountId }: Actor, @Param() { id }: UploadPath): Promise<UploadResponse> {
    return this.uploads.find(accountId, id);
  }

  @Put(':id/parts/:number')
  @HttpCode(204)
  @BodyAs('bytes', MAX_PART_BYTES)
  @ApiOperation({
    operationId: 'putPackageUploadPart',
    summary: 'Stores a part of an upload.',
    description:
      'Parts may be sent in any order, and again with the same content. When the answer arrives, the part is stored durably.',
  })
  @ApiConsumes('application/octet-stream')
  @ApiBody({
    description: 'The bytes of the part: `part_bytes` of the upload, in the last part the rest.',
    required: true,
    schema: { type: 'string', format: 'binary' },
  })
  @ApiNoContentResponse({ description: 'The part is stored.' })
  @ApiErrors({
    400: 'There is no part of this number, or its body has a wrong length, was cut off or does not have the announced digest.',
    404: NO_UPLOAD,
    409: 'The part was sent with other content before; or the upload was submitted or given up.',
  })
  storePart(
    @CurrentActor() { accountId }: Actor,
    @Param() { id, number }: UploadPartPath,
    @RequestHeaders(UploadPartHeaders) { 'Content-Digest': sha256 }: UploadPartHeaders,
    @Req() { body }: Request,
  ): Promise<void> {
    return this.uploads.storePart(accountId, id, { number, content: body as Buffer, sha256 });
  }

  @Post(':id/complete')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'completePackageUpload',
    summary: 'Makes a package of the parts.',
    description:
      'The parts are joined and checked in the background; `state` of the upload tells the result. May be repeated.',
  })
  @ApiAcceptedResponse({ description: 'The upload.', type: UploadResponse })
  @ApiErrors({ 404: NO_UPLOAD, 409: 'Parts are missing; the message names them.' })
  complete(@CurrentActor() admin: Actor, @Param() { id }: UploadPath): Promise<UploadResponse> {
    return this.uploads.submit(admin, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deletePackageUpload', summary: 'Discards an upload with its parts.' })
  @ApiNoContentResponse({ description: 'The upload is discarded.' })
  @ApiErrors({ 404: NO_UPLOAD, 409: 'The upload is complete: its package is removed by `deletePackage`.' })
  discard(@CurrentActor() { accountId }: Actor, @Param() { id }: UploadPath): Promise<void> {
    return this.uploads.discard(accountId, id);
  }
}
