import { ChoiceField, type FieldOptions } from '@inference/dto';

/** The runtime components that have releases (spec: Release downloads). */
export const COMPONENTS = ['engine', 'router', 'agent', 'memo'] as const;
export type Component = (typeof COMPONENTS)[number];

export const ComponentField = (options: FieldOptions & { notFound?: string }): PropertyDecorator =>
  ChoiceField(COMPONENTS, { example: 'engine', ...options });
