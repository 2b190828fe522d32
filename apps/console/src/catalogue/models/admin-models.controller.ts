import { Controller, Delete, Get, Header, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { BodyAs, type PageQuery, pageQuery, ValidBody, ValidQuery } from '@inference/http';
import { type Request, type Response } from 'express';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import { AdminModelsService } from './admin-models.service';
import {
  modelInput,
  type ModelInput,
  NewSlug,
  NewVersion,
  Slug,
  uploadQuery,
  type UploadQuery,
} from './models.dto';
import { PackagesService } from './model-packages/packages.service';
import { UploadService } from './uploads/upload.service';

@Controller('api/admin/models')
@Roles('admin')
export class AdminModelsController {
  constructor(
    private readonly models: AdminModelsService,
    private readonly packages: PackagesService,
    private readonly uploads: UploadService,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  list(@ValidQuery(pageQuery) query: PageQuery) {
    return this.models.list(query);
  }

  @Get('*slug')
  @Header('Cache-Control', 'no-store')
  find(@Slug() slug: string) {
    return this.models.find(slug);
  }

  /**
   * The body is the package itself, sent as application/octet-stream with a Content-Length. A `Content-Digest:
   * sha-256=:…:` is verified; `?file_name=` names the file for customers. Answers 201, or 200 if the version is already
   * stored with the same content.
   */
  @Put('*slug/packages/:version')
  @BodyAs('stream')
  async upload(
    @CurrentActor() admin: Actor,
    @NewSlug() slug: string,
    @NewVersion() version: string,
    @ValidQuery(uploadQuery) { file_name: name }: UploadQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const fileName = name ?? `${slug.replaceAll('/', '-')}-${version}`;
    const { isNew, package: stored } = await this.uploads.receive(
      admin,
      { slug, version, fileName },
      request,
      response,
    );
    response.status(isNew ? 201 : 200);
    return stored;
  }

  /** Answers 204, or 409 if the package is published. */
  @Delete('*slug/packages/:version')
  @HttpCode(204)
  remove(@CurrentActor() admin: Actor, @Slug() slug: string, @Param('version') version: string) {
    return this.packages.remove(admin, slug, version);
  }

  /** Answers 204, or 409 if the model has packages. */
  @Delete('*slug')
  @HttpCode(204)
  removeModel(@CurrentActor() admin: Actor, @Slug() slug: string) {
    return this.models.remove(admin, slug);
  }

  /** `{name, description?, family?, parameters?, quantization?, format?, license?, version?}`: answers 201 for a new slug, otherwise 200. */
  @Put('*slug')
  async store(
    @CurrentActor() admin: Actor,
    @NewSlug() slug: string,
    @ValidBody(modelInput) input: ModelInput,
    @Res({ passthrough: true }) response: Response,
  ) {
    const isNew = await this.models.store(admin, slug, input);
    response.status(isNew ? 201 : 200);
    return this.models.find(slug);
  }
}
