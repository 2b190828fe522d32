import { type Schemas } from '../../api/console-api';
import { type Figure } from '../../figures/figure';
import { Quantity } from '../../figures/figure-text';
import { useModelsTexts } from './models-texts';

type Exactly<Body> = { [Name in keyof Body]: Body[Name] extends number | null ? Figure | null : Body[Name] };

/** What is known of a model beside its prices. */
export type ModelDetails = Exactly<Schemas['ModelDetailsResponse']>;

/** A number of tokens, or a dash if it is not known. */
export function ContextTokens({ value }: { value: Figure | null | undefined }) {
  return value ? <Quantity value={value} /> : '–';
}

/** "Text, Images → Text", or a dash if nothing is known. */
export function ModelModalities({ details }: { details: ModelDetails | undefined }) {
  const t = useModelsTexts();
  const { input_modalities: input, output_modalities: output } = details ?? {};
  const names = (modalities: ModelDetails['input_modalities'] | undefined) =>
    modalities?.map((one) => t(`modality.${one}`)).join(', ');
  return [names(input), names(output)].filter(Boolean).join(' → ') || '–';
}
