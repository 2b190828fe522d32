import { Controller, Delete, Get, Header, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { type PageQuery, pageQuery, ValidBody, ValidQuery } from '@inference/http';
import { type Request, type Response } from 'express';
import { type Actor, CurrentActor } from '../events/actor';
import { AdminModelsService } from './admin-models.service';
import {
  modelBody,
  type ModelBody,
  NewSlug,
  NewVersion,
  Slug,
  uploadQuery,
  type UploadQuery,
} from './models.dto';
import { UploadService } from './upload.service';

@Controller('api/admin/models')
@Roles('admin')
export class AdminModelsController {
  constructor(
    private readonly models: AdminModelsService,
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
   * The body is the package itself, as application/octet-stream and with a Content-Length; `?file_name=`; a
   * `Content-Digest: sha-256=:…:` is checked. 201, or 200 when just this content is there already.
   */
  @Put('*slug/packages/:version')
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

  /** 204; 409 while it is the published one. */
  @Delete('*slug/packages/:version')
  @HttpCode(204)
  remove(@CurrentActor() admin: Actor, @Slug() slug: string, @Param('version') version: string) {
    return this.models.removePackage(admin, slug, version);
  }

  /** 204; 409 while it has packages. */
  @Delete('*slug')
  @HttpCode(204)
  removeModel(@CurrentActor() admin: Actor, @Slug() slug: string) {
    return this.models.remove(admin, slug);
  }

  /** `{name, description?, family?, parameters?, quantization?, format?, license?, version?}`: 201 for a new slug. */
  @Put('*slug')
  async store(
    @CurrentActor() admin: Actor,
    @NewSlug() slug: string,
    @ValidBody(modelBody) body: ModelBody,
    @Res({ passthrough: true }) response: Response,
  ) {
    const isNew = await this.models.store(admin, slug, body);
    response.status(isNew ? 201 : 200);
    return this.models.find(slug);
  }
}
