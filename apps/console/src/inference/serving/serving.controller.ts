import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { ServedModelsService } from './served-models.service';
import {
  ChangeServedModelDto,
  NewServedModelDto,
  ServedModelListResponse,
  ServedModelPath,
  ServedModelResponse,
} from './served-models.dto';
import {
  ChangeQuery,
  ChangeUpstreamDto,
  CredentialPath,
  CredentialResponse,
  NewCredentialDto,
  NewUpstreamDto,
  TestSettingsDto,
  TestUpstreamDto,
  UpstreamListResponse,
  UpstreamPath,
  UpstreamResponse,
  UpstreamTestResponse,
  VersionQuery,
} from './serving.dto';
import { UpstreamsService } from './upstreams.service';

const IN_FORCE = 'It is in force at every gateway within two seconds.';
const CHANGED = 'It was changed meanwhile.';
const CONFLICT = { 409: 'It was changed meanwhile, or a name is taken.' };

@Controller('api/admin/upstreams')
@ApiTags('Administration of models')
@StaffOnly()
export class UpstreamsController {
  constructor(private readonly upstreams: UpstreamsService) {}

  @Get()
  @ApiOperation({ operationId: 'listUpstreams', summary: 'Lists the servers of models with their health.' })
  @ListOrCsv({
    description: 'All upstreams.',
    type: UpstreamListResponse,
    rows: 'upstreams',
    columns:
      'id name base_url region state protocols models.model concurrency requests_per_minute tokens_per_minute connect_timeout_ms first_byte_timeout_ms idle_timeout_ms health.is_up health.running health.calls_per_minute health.failures_per_minute health.first_byte_ms health.open_models version updated_at'.split(
        ' ',
      ),
  })
  async list(): Promise<UpstreamListResponse> {
    return { upstreams: await this.upstreams.list() };
  }

  @Post()
  @ApiOperation({ operationId: 'createUpstream', summary: 'Adds a server of models.', description: IN_FORCE })
  @ApiCreatedResponse({ description: 'The upstream.', type: UpstreamResponse })
  @ApiErrors({ 409: 'The name is taken.' })
  create(
    @CurrentActor() admin: Actor,
    @Body() fields: NewUpstreamDto,
    @Query() query: ChangeQuery,
  ): Promise<UpstreamResponse> {
    return this.upstreams.create(admin, fields, query);
  }

  @Patch(':id')
  @ApiOperation({
    operationId: 'changeUpstream',
    summary: 'Changes a server of models.',
    description: IN_FORCE,
  })
  @ApiOkResponse({ description: 'The changed upstream.', type: UpstreamResponse })
  @ApiErrors({ ...CONFLICT, 404: 'There is no such upstream.' })
  change(
    @CurrentActor() admin: Actor,
    @Param() { id }: UpstreamPath,
    @Body() fields: ChangeUpstreamDto,
    @Query() query: ChangeQuery,
  ): Promise<UpstreamResponse> {
    return this.upstreams.change(admin, id, fields, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteUpstream',
    summary: 'Removes a server of models.',
    description: 'Its running calls go on. Drain it before to see them end.',
  })
  @ApiNoContentResponse({ description: 'It gets no further calls.' })
  @ApiErrors({ 404: 'There is no such upstream.', 409: CHANGED })
  delete(
    @CurrentActor() admin: Actor,
    @Param() { id }: UpstreamPath,
    @Query() query: VersionQuery,
  ): Promise<void> {
    return this.upstreams.delete(admin, id, query);
  }

  @Post(':id/drain')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'drainUpstream',
    summary: 'Gives a server no further calls.',
    description:
      'Those that run go on: `health.running` falls to 0. `PATCH` with `state` `active` reverts it.',
  })
  @ApiOkResponse({ description: 'The upstream.', type: UpstreamResponse })
  @ApiErrors({ 404: 'There is no such upstream.', 409: CHANGED })
  drain(
    @CurrentActor() admin: Actor,
    @Param() { id }: UpstreamPath,
    @Query() query: VersionQuery,
  ): Promise<UpstreamResponse> {
    return this.upstreams.change(admin, id, { state: 'draining' }, { ...query, dry_run: false });
  }

  @Post('test')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'testUpstreamSettings',
    summary: 'Tests a server of models before it is stored.',
    description:
      'Nothing is stored. The call is not charged to anybody. What fails is in the answer, whose status is 200.',
  })
  @ApiOkResponse({ description: 'What the server has answered.', type: UpstreamTestResponse })
  @ApiErrors({ 404: 'There is no such upstream.', 409: 'The console cannot decrypt the credential.' })
  testSettings(@Body() settings: TestSettingsDto): Promise<UpstreamTestResponse> {
    return this.upstreams.testSettings(settings);
  }

  @Post(':id/test')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'testUpstream',
    summary: 'Lists the models of a server and calls one of them.',
    description: 'The call is not charged to anybody. What fails is in the answer, whose status is 200.',
  })
  @ApiOkResponse({ description: 'What the server has answered.', type: UpstreamTestResponse })
  @ApiErrors({ 404: 'There is no such upstream.', 409: 'The console cannot decrypt the credential.' })
  test(@Param() { id }: UpstreamPath, @Body() { model }: TestUpstreamDto): Promise<UpstreamTestResponse> {
    return this.upstreams.test(id, model);
  }

  @Post(':id/credentials')
  @ApiOperation({
    operationId: 'addUpstreamCredential',
    summary: 'Stores a credential of the gateways at a server.',
    description: 'It is used from now on. The former ones are used only if the server refuses it.',
  })
  @ApiCreatedResponse({ description: 'The stored credential, without its text.', type: CredentialResponse })
  @ApiErrors({ 404: 'There is no such upstream.', 409: CHANGED })
  addCredential(
    @CurrentActor() admin: Actor,
    @Param() { id }: UpstreamPath,
    @Body() { credential }: NewCredentialDto,
    @Query() query: VersionQuery,
  ): Promise<CredentialResponse> {
    return this.upstreams.addCredential(admin, id, credential, query);
  }

  @Delete(':id/credentials/:credential')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteUpstreamCredential', summary: 'Removes a credential.' })
  @ApiNoContentResponse({ description: 'It is not used any more.' })
  @ApiErrors({ 404: 'There is no such upstream or credential.', 409: CHANGED })
  deleteCredential(
    @CurrentActor() admin: Actor,
    @Param() { id, credential }: CredentialPath,
    @Query() query: VersionQuery,
  ): Promise<void> {
    return this.upstreams.deleteCredential(admin, id, credential, query);
  }
}

@Controller('api/admin/inference/models')
@ApiTags('Administration of models')
@StaffOnly()
export class ServedModelsController {
  constructor(private readonly models: ServedModelsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listServedModels',
    summary: 'Lists what is known of models beside their prices, and what gateways see of them.',
  })
  @ListOrCsv({
    description: 'All models.',
    type: ServedModelListResponse,
    rows: 'models',
    columns:
      'id slug aliases state context_tokens max_output_tokens input_modalities output_modalities protocols output_limit_field fallbacks successor version updated_at'.split(
        ' ',
      ),
  })
  async list(): Promise<ServedModelListResponse> {
    return { models: await this.models.list(), figures: await this.models.figures() };
  }

  @Post()
  @ApiOperation({
    operationId: 'createServedModel',
    summary: 'Stores what is known of a model.',
    description: IN_FORCE,
  })
  @ApiCreatedResponse({ description: 'The model.', type: ServedModelResponse })
  @ApiErrors({ 409: 'The slug or an alias is taken.' })
  create(
    @CurrentActor() admin: Actor,
    @Body() fields: NewServedModelDto,
    @Query() query: ChangeQuery,
  ): Promise<ServedModelResponse> {
    return this.models.create(admin, fields, query);
  }

  @Patch(':id')
  @ApiOperation({
    operationId: 'changeServedModel',
    summary: 'Changes what is known of a model.',
    description: IN_FORCE,
  })
  @ApiOkResponse({ description: 'The changed model.', type: ServedModelResponse })
  @ApiErrors({ ...CONFLICT, 404: 'There is no such model.' })
  change(
    @CurrentActor() admin: Actor,
    @Param() { id }: ServedModelPath,
    @Body() fields: ChangeServedModelDto,
    @Query() query: ChangeQuery,
  ): Promise<ServedModelResponse> {
    return this.models.change(admin, id, fields, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteServedModel',
    summary: 'Forgets what is known of a model.',
    description: 'Prices and upstreams of the slug stay.',
  })
  @ApiNoContentResponse({ description: 'It has the limits of every other model.' })
  @ApiErrors({ 404: 'There is no such model.', 409: CHANGED })
  delete(
    @CurrentActor() admin: Actor,
    @Param() { id }: ServedModelPath,
    @Query() query: VersionQuery,
  ): Promise<void> {
    return this.models.delete(admin, id, query);
  }
}
