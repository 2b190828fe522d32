import { Controller, Get, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Accepts } from '@inference/guards';
import { Public } from '@inference/http';
import { ApiOkResponse, type OpenAPIObject } from '@nestjs/swagger';
import { ErrorResponse } from './complete-responses';
import { type ApiDescription } from './api-description';
import { buildDocument } from './build-document';

@Controller('things')
class ThingsController {
  @Get()
  @Accepts('session', 'api_key')
  @ApiOkResponse({ description: 'All things.' })
  list() {}
}

@Controller('calls')
class CallsController {
  @Get()
  @Accepts('api_key', 'on_behalf')
  @ApiOkResponse({ description: 'All calls.' })
  list() {}
}

@Controller('notes')
class NotesController {
  @Post()
  @Public()
  @ApiOkResponse({ description: 'The note.' })
  create() {}
}

class AppModule {}

const DESCRIPTION: ApiDescription = {
  title: 'Things',
  description: 'Things.',
  errorBody: ErrorResponse,
  defaultKinds: [],
  tags: {},
};

describe('the document of an app', () => {
  async function build(controller: Type, description: Partial<ApiDescription> = {}): Promise<OpenAPIObject> {
    const module = { module: AppModule, controllers: [controller] };
    const app = await NestFactory.create(module, { preview: true, logger: false });
    return buildDocument(app, { ...DESCRIPTION, ...description });
  }

  it('has exactly the credential schemes that its operations name', async () => {
    const { components } = await build(ThingsController);
    expect(Object.keys(components!.securitySchemes!).sort()).toEqual(['api_key', 'session']);
  });

  it('has the headers of a service that acts on behalf of an account, beside its credential', async () => {
    const { components, paths } = await build(CallsController);
    expect(paths['/calls']!.get!.security).toEqual([
      { api_key: [] },
      { on_behalf: [], on_behalf_of: [] },
      { on_behalf: [], on_behalf_of: [], on_behalf_of_key: [] },
    ]);
    expect(components!.securitySchemes).toMatchObject({
      on_behalf_of: { in: 'header', name: 'X-On-Behalf-Of' },
      on_behalf_of_key: { in: 'header', name: 'X-On-Behalf-Of-Key' },
    });
  });

  it('has no errors of bodies if the service reads none', async () => {
    const { paths } = await build(NotesController, { readsNoBodies: true, hasNoDatabase: true });
    const { responses } = paths['/notes']!.post!;
    for (const status of ['408', '413', '415', '429', '503']) expect(responses).not.toHaveProperty(status);
  });
});
