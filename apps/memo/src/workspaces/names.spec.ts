import { type Type } from '@nestjs/common';
import { validated } from '@inference/dto';
import { HOSTILE_NAMES } from '@inference/testing';
import { DocumentFieldsDto, FormFieldsDto, titleOf } from '../documents/uploads/upload.dto';
import { CreateKeyDto } from './keys/key.dto';
import { WorkspaceDto } from './workspace.dto';

const FIELDS: { dto: Type<object>; field: string; valueOf: (name: string) => unknown }[] = [
  { dto: WorkspaceDto, field: 'name', valueOf: (name) => name },
  { dto: CreateKeyDto, field: 'name', valueOf: (name) => name },
  { dto: DocumentFieldsDto, field: 'title', valueOf: (name) => name },
  { dto: DocumentFieldsDto, field: 'title', valueOf: (name) => titleOf(name) },
  { dto: DocumentFieldsDto, field: 'external_id', valueOf: (name) => name },
  { dto: DocumentFieldsDto, field: 'metadata', valueOf: (name) => Object.fromEntries([[name, 'a']]) },
  { dto: FormFieldsDto, field: 'title', valueOf: (name) => name },
  { dto: FormFieldsDto, field: 'external_id', valueOf: (name) => name },
];

describe('the names of memo', () => {
  it.each(FIELDS)('of $dto.name refuse hostile texts in $field', async ({ dto, field, valueOf }) => {
    for (const [why, text] of HOSTILE_NAMES) {
      const message = await validated(dto, { [field]: valueOf(text) }).then(
        () => 'no fault',
        (error: Error) => error.message,
      );
      const named = message.split('; ').some((fault) => fault.startsWith(`${field}: `));
      expect([field, why, named]).toEqual([field, why, true]);
    }
  });
});
