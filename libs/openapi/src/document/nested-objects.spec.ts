import { Body, Controller, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ObjectField, ObjectListField, TextField } from '@inference/dto';
import { ErrorResponse } from './complete-responses';
import { buildDocument } from './build-document';

class PartDto {
  @TextField({ description: 'A word.' })
  word!: string;
}

class ThingDto {
  @ObjectField(() => PartDto, { description: 'A part.' })
  part!: PartDto;

  @ObjectListField(() => PartDto, { description: 'Parts.', maxItems: 2 })
  parts!: PartDto[];
}

@Controller('things')
class ThingsController {
  @Put()
  store(@Body() body: ThingDto) {
    return body;
  }
}

class AppModule {}

it('the document describes objects within objects', async () => {
  const module = { module: AppModule, controllers: [ThingsController] };
  const app = await NestFactory.create(module, { preview: true, logger: false });
  const { components } = buildDocument(app, {
    title: 'Things',
    description: 'Things.',
    errorBody: ErrorResponse,
    defaultKinds: [],
    tags: {},
  });
  const $ref = '#/components/schemas/PartDto';
  expect(components!.schemas!.ThingDto).toMatchObject({
    properties: { part: { allOf: [{ $ref }] }, parts: { type: 'array', maxItems: 2, items: { $ref } } },
  });
});
