import { AnyQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { applyDecorators, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import {
  ApiNotImplementedResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';

class NotImplementedDetails {
  @ApiProperty({
    description: 'What is wrong, for people.',
    example: 'agent environments are not implemented',
  })
  message!: string;

  @ApiProperty({ description: 'The kind of the error.', enum: ['not_implemented'] })
  type!: 'not_implemented';

  @ApiProperty({ description: 'What is not implemented.', enum: ['agents.environments'] })
  resource!: 'agents.environments';
}

/** Spec: Errors, rule 4. */
class NotImplementedResponse {
  @ApiProperty({ description: 'The error.' })
  error!: NotImplementedDetails;
}

const NOT_IMPLEMENTED: NotImplementedResponse = {
  error: {
    message: 'agent environments are not implemented',
    type: 'not_implemented',
    resource: 'agents.environments',
  },
};

const NotImplemented = (operationId: string, summary: string) =>
  applyDecorators(
    HttpCode(HttpStatus.NOT_IMPLEMENTED),
    ApiOperation({ operationId, summary: `${summary} Not implemented.` }),
    ApiErrors({ 401: 'The server is configured with an API key, and the call does not have it.' }),
    ApiNotImplementedResponse({ description: 'The answer to every call.', type: NotImplementedResponse }),
  );

const TakesEnvironmentId = () =>
  applyDecorators(
    ApiParam({
      name: 'environment_id',
      description: 'The id of the environment. Any text is accepted.',
      schema: { type: 'string' },
    }),
    ApiErrors({ 400: 'The path cannot be decoded.' }),
  );

/** The routes that are specified as not implemented (spec: Agent environments; Errors, rule 4). Whatever is sent, the answer is the same. */
@Controller('v1/agents/environments')
@AnyQuery()
@ApiTags('Environments')
@ApiSecurity('environments_key')
@ApiSecurity({})
export class EnvironmentsController {
  @Get()
  @NotImplemented('listEnvironments', 'Lists environments.')
  list(): NotImplementedResponse {
    return NOT_IMPLEMENTED;
  }

  @Post()
  @NotImplemented('createEnvironment', 'Creates an environment.')
  create(): NotImplementedResponse {
    return NOT_IMPLEMENTED;
  }

  /** Declared before `:environment_id`, which would match `templates` too. */
  @Get('templates')
  @NotImplemented('listEnvironmentTemplates', 'Lists the templates of environments.')
  listTemplates(): NotImplementedResponse {
    return NOT_IMPLEMENTED;
  }

  @Get(':environment_id')
  @TakesEnvironmentId()
  @NotImplemented('getEnvironment', 'Returns an environment.')
  read(): NotImplementedResponse {
    return NOT_IMPLEMENTED;
  }

  @Get(':environment_id/files')
  @TakesEnvironmentId()
  @NotImplemented('listEnvironmentFiles', 'Lists the files of an environment.')
  listFiles(): NotImplementedResponse {
    return NOT_IMPLEMENTED;
  }

  @Post(':environment_id/files')
  @TakesEnvironmentId()
  @NotImplemented('uploadEnvironmentFile', 'Uploads a file into an environment.')
  upload(): NotImplementedResponse {
    return NOT_IMPLEMENTED;
  }
}
