import { applyDecorators } from '@nestjs/common';
import { type FieldOptions, NameText, TextField } from '@inference/dto';

/** A model's name as its inference engine spells it, for example `meta-llama/Llama-3.1-8B` or `qwen3:0.6b`. */
export const SLUG = /^[A-Za-z0-9._~/@:+-]{1,200}$/;
export const SLUG_MESSAGE = 'must have 1 to 200 of A-Z, a-z, 0-9 and . _ ~ / @ : + -';

export const SlugField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    NameText(),
    TextField({ example: 'sandbox-chat', ...options, pattern: [SLUG, SLUG_MESSAGE] }),
  );
