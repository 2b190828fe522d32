import { type Type } from '@nestjs/common';
import { validated } from '@inference/dto';
import { HOSTILE_NAMES } from '@inference/testing';
import { CreateSessionDto } from './sessions/session.dto';
import { ToolFunctionDto } from './tables/tool.dto';

/** An id of a session and a name of a function have a form of their own, which has no place for characters that nobody sees. */
interface NameField {
  dto: Type<object>;
  field: string;
  valueOf: (name: string) => unknown;
  /** Whether `constructor` and the like are refused, too. */
  hasRefusedWords: boolean;
}

const FIELDS: NameField[] = [
  { dto: CreateSessionDto, field: 'model', valueOf: (name) => name, hasRefusedWords: true },
  {
    dto: CreateSessionDto,
    field: 'metadata',
    valueOf: (name) => Object.fromEntries([[name, 'a']]),
    hasRefusedWords: true,
  },
  { dto: CreateSessionDto, field: 'id', valueOf: (name) => name, hasRefusedWords: false },
  { dto: ToolFunctionDto, field: 'name', valueOf: (name) => name, hasRefusedWords: false },
];

describe('the names of the agent', () => {
  it.each(FIELDS)(
    'of $dto.name refuse hostile texts in $field',
    async ({ dto, field, valueOf, hasRefusedWords }) => {
      for (const [why, text] of HOSTILE_NAMES) {
        const isWord = /^\w+$/.test(text);
        const message = await validated(dto, { [field]: valueOf(text) }).then(
          () => 'no fault',
          (error: Error) => error.message,
        );
        const named = message.split('; ').some((fault) => fault.startsWith(`${field}: must `));
        expect([field, why, named]).toEqual([field, why, !isWord || hasRefusedWords]);
      }
    },
  );
});
