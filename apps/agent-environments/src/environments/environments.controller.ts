import { Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';

interface NotImplementedBody {
  error: { message: string; type: 'not_implemented'; resource: 'agents.environments' };
}

const NOT_IMPLEMENTED: NotImplementedBody = {
  error: {
    message: 'agent environments are not implemented',
    type: 'not_implemented',
    resource: 'agents.environments',
  },
};

/** The routes that are specified as not implemented (spec: Agent environments; Errors, rule 4). */
@Controller('v1/agents/environments')
export class EnvironmentsController {
  @Get()
  @HttpCode(HttpStatus.NOT_IMPLEMENTED)
  list(): NotImplementedBody {
    return NOT_IMPLEMENTED;
  }

  @Post()
  @HttpCode(HttpStatus.NOT_IMPLEMENTED)
  create(): NotImplementedBody {
    return NOT_IMPLEMENTED;
  }

  /** Declared before `:environment_id`, which would match `templates` too. */
  @Get('templates')
  @HttpCode(HttpStatus.NOT_IMPLEMENTED)
  listTemplates(): NotImplementedBody {
    return NOT_IMPLEMENTED;
  }

  @Get(':environment_id')
  @HttpCode(HttpStatus.NOT_IMPLEMENTED)
  read(): NotImplementedBody {
    return NOT_IMPLEMENTED;
  }

  @Get(':environment_id/files')
  @HttpCode(HttpStatus.NOT_IMPLEMENTED)
  listFiles(): NotImplementedBody {
    return NOT_IMPLEMENTED;
  }

  @Post(':environment_id/files')
  @HttpCode(HttpStatus.NOT_IMPLEMENTED)
  upload(): NotImplementedBody {
    return NOT_IMPLEMENTED;
  }
}
