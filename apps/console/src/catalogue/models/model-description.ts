import { type ModelDescription } from './models.repository';

/** The part of a response that describes the model, in the order of its fields. */
export function modelDescription(model: ModelDescription): ModelDescription {
  const { slug, name, description, family, parameters, quantization, format, license } = model;
  return { slug, name, description, family, parameters, quantization, format, license };
}
