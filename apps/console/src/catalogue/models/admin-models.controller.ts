import { RequestHeaders } from '@inference/dto';
import { StaffOnly } from '@inference/guards';
import { BodyAs, PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { type Request, type Response } from 'express';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { AdminModelsService } from './admin-models.service';
import { PackageResponse } from './model-packages/packages.dto';
import { PackagesService } from './model-packages/packages.service';
import {
  AdminModelListResponse,
  AdminModelWithPackagesResponse,
  ModelPath,
  NewModelPath,
  NewPackagePath,
  PackagePath,
  PutModelDto,
} from './models.dto';
import { UploadService } from './uploads/upload.service';
import { defaultFileName, UploadHeaders, UploadQuery } from './uploads/uploads.dto';

const COLUMNS =
  'slug name description family parameters quantization format license version changed_at'.split(' ');

@Controller('api/admin/models')
@ApiTags('Administration of models')
@StaffOnly()
export class AdminModelsController {
  constructor(
    private readonly models: AdminModelsService,
    private readonly packages: PackagesService,
    private readonly uploads: UploadService,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listAllModels', summary: 'Lists all models, published or not.' })
  @ListOrCsv({
    description: 'A page of models.',
    type: AdminModelListResponse,
    rows: 'models',
    columns: COLUMNS,
  })
  list(@Query() query: PageQuery): Promise<AdminModelListResponse> {
    return this.models.list(query);
  }

  @Get('*slug')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getModelWithPackages',
    summary: 'Returns one model, published or not, with its packages.',
  })
  @ApiOkResponse({ description: 'The model.', type: AdminModelWithPackagesResponse })
  @ApiErrors({ 404: 'There is no such model.' })
  find(@Param() { slug }: ModelPath): Promise<AdminModelWithPackagesResponse> {
    return this.models.find(slug);
  }

  @Put('*slug/packages/:version')
  @BodyAs('stream')
  @ApiOperation({
    operationId: 'uploadPackage',
    summary: 'Uploads a package.',
    description:
      'The body is the file. Customers see nothing of it before the version is published. With `Content-Digest` a client that missed the answer may send the same file again. `Expect: 100-continue` is supported.',
  })
  @ApiHeader({
    name: 'Content-Length',
    description: 'Bytes of the file.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  })
  @ApiConsumes('application/octet-stream')
  @ApiBody({
    description: 'The bytes of the file.',
    required: true,
    schema: { type: 'string', format: 'binary' },
  })
  @ApiCreatedResponse({ description: 'The package is stored.', type: PackageResponse })
  @ApiOkResponse({ description: 'The same file was stored before.', type: PackageResponse })
  @ApiErrors({
    400: 'A parameter is malformed, or the file is empty, was cut off or does not have the announced digest.',
    409: 'The version is stored already with other content, or without `Content-Digest` in this request; or it was published and removed; or the upload was given up.',
    411: 'The request has no `Content-Length`.',
    413: 'The package is larger than the site allows.',
    415: 'The body is not `application/octet-stream`, or it is encoded.',
  })
  async upload(
    @CurrentActor() admin: Actor,
    @Param() { slug, version }: NewPackagePath,
    @Query() { file_name: name }: UploadQuery,
    @RequestHeaders(UploadHeaders) headers: UploadHeaders,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PackageResponse> {
    const fileName = name ?? defaultFileName(slug, version);
    const { isNew, package: stored } = await this.uploads.receive(
      admin,
      { slug, version, fileName, sha256: headers['Content-Digest'] ?? null },
      request,
      response,
    );
    response.status(isNew ? 201 : 200);
    return stored;
  }

  @Delete('*slug/packages/:version')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deletePackage',
    summary: 'Removes a package that is not published.',
    description: 'Its file is deleted when the last link to it has expired.',
  })
  @ApiNoContentResponse({ description: 'The package is removed.' })
  @ApiErrors({ 404: 'There is no such package.', 409: 'The package is published.' })
  remove(@CurrentActor() admin: Actor, @Param() { slug, version }: PackagePath): Promise<void> {
    return this.packages.remove(admin, slug, version);
  }

  @Delete('*slug')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteModel', summary: 'Removes a model that has no packages.' })
  @ApiNoContentResponse({ description: 'The model is removed.' })
  @ApiErrors({ 404: 'There is no such model.', 409: 'The model has packages.' })
  removeModel(@CurrentActor() admin: Actor, @Param() { slug }: ModelPath): Promise<void> {
    return this.models.remove(admin, slug);
  }

  @Put('*slug')
  @ApiOperation({
    operationId: 'putModel',
    summary: 'Describes a model, and publishes one of its packages or none.',
    description: 'Absent fields other than `version` are cleared.',
  })
  @ApiOkResponse({ description: 'The model existed before.', type: AdminModelWithPackagesResponse })
  @ApiCreatedResponse({ description: 'The model is new.', type: AdminModelWithPackagesResponse })
  @ApiErrors({ 409: 'No package of this version is stored.' })
  async store(
    @CurrentActor() admin: Actor,
    @Param() { slug }: NewModelPath,
    @Body() body: PutModelDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminModelWithPackagesResponse> {
    const isNew = await this.models.store(admin, slug, body);
    response.status(isNew ? 201 : 200);
    return this.models.find(slug);
  }
}
