import { ChoiceField, type FieldOptions } from '@inference/dto';
import { COMPONENTS } from './component';

export const ComponentField = (options: FieldOptions & { notFound?: string }): PropertyDecorator =>
  ChoiceField(COMPONENTS, { example: 'engine', ...options });
